"""What each table and column of the store holds: comments in the database, shown to whoever asks."""

from __future__ import annotations

MEMORIES: dict[str, str] = {
    "TABLE earwitness.memory_container": "Containers that hold memories, or did; a number is never used again",
    "SEQUENCE earwitness.memory_number": "The order in which memories were first written",
    "TABLE earwitness.memory": "Memories. Read them through the view memories, which names the containers",
    "TABLE earwitness.memory_word": "Full-text search: which memories of a container hold a word, in any script",
    "TABLE earwitness.memory_place": "Where removed memories stood, for branches of a story from before",
    "TABLE earwitness.memory_fact": "What vectors and words were made with",
    "TABLE earwitness.memory_vector": "New vectors while `earwitness reembed` runs; empty otherwise",
    "VIEW earwitness.memories": "Who remembers what: memories with the names of their containers",
}
MEMORIES_COLUMNS: dict[str, dict[str, str]] = {
    "memory_container": {
        "number": "What rows name it by",
        "name": "Container name, such as s1-alice or pantheon-olympus",
        "memories": "How many memories it holds",
        "words": "How many words they have: searches know no other statistics",
    },
    "memory": {
        "container": "The wall: number of its container",
        "number": "The order in which memories were first written",
        "id": "Derives from session, message key, revision, container and part",
        "content": "The text, under the headings of its format; a NUL is escaped",
        "metadata": "camelCase keys: speaker, gameDay, learnedDay, sharedFrom, …",
        "exact_metadata": "The same, for numbers that jsonb writes otherwise; else null",
        "spoken": "Whether it is a message: those beside one that is found are lifted",
        "words": "How many words it has",
        "embedding": "Its vector; null for a text without meaning. memory_fact says whose",
        "indexed": "Whether the HNSW index has it: beyond ten thousand in a container",
    },
    "memory_word": {
        "container": "Number of the container",
        "term": "A folded, stemmed word, or one or two ideographs",
        "number": "Number of the memory",
        "times": "How often the memory holds it",
        "words": "How many words the memory has",
    },
    "memory_place": {
        "container": "Number of the container",
        "id": "Id of the memory",
        "number": "The number it had",
    },
    "memory_fact": {
        "name": "embedder, words, or reembedding",
        "value": "The identity of the embedder as JSON, or a version",
    },
    "memory_vector": {
        "digest": "SHA-256 of a content",
        "embedding": "The content's vector by the new embedder",
    },
    "memories": {
        "container": "Container name: the wall",
        "id": "Memory id",
        "content": "The text, under the headings of its format",
        "type": "message, world_state_update, character_update, plot, lore, fact, …",
        "speaker": "Who said it",
        "said_on": "Game day on which it was said",
        "learned_on": "Game day on which the owner of the container learned it",
        "how": "direct, witnessed or shared",
        "told_by": "Who told it to the owner of the container",
        "metadata": "All metadata",
        "number": "The order in which memories were first written",
    },
}
READERS: dict[str, str] = {
    "TABLE earwitness.reader": "Which roles may read which memories by hand",
    "FUNCTION earwitness.readable_containers": "Numbers of the containers that a role may read by hand",
    "FUNCTION earwitness.let_read": "Let a role read the containers of a session, or of one character in it",
    "POLICY memory_reader ON earwitness.memory": "The owner of the tables sees all; others what reader says",
    "POLICY memory_container_reader ON earwitness.memory_container": "As memory_reader",
    "POLICY memory_word_reader ON earwitness.memory_word": "As memory_reader",
}
READERS_COLUMNS: dict[str, dict[str, str]] = {
    "reader": {
        "number": "Which of them it is",
        "role": "A role of the server; its members may read, too",
        "session": "Session id; null = the one that the variable earwitness.session names",
        "member": "Id of the character it reads as; null = all of the session",
        "container": "Name of one container; then session and member are null",
    },
}
WRITING: dict[str, str] = {
    "FUNCTION earwitness.write_memories": "Write memories if all are new and their containers there; else false",
}
