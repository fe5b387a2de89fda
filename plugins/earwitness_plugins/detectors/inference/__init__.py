"""From what was read and where everybody is to who perceives a message: one file for each way of saying something."""
