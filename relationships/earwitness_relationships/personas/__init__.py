"""What a user's persona lived with a personality, and facts about users, across sessions."""
