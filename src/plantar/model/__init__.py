"""What a compiled model tells of itself: its tree, shapes, keyframes, legs and feet."""
