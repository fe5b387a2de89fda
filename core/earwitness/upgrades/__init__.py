"""What earlier versions stored or exported, brought to today's shape. Pure: JSON objects in, JSON objects out."""
