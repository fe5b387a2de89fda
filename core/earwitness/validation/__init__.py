"""What a call was given, checked before anything happens."""
