"""How the commands look on a terminal. What is said in a story is text: it colours nothing and moves no cursor."""
