"""The minds: no Django, synchronous. Given a View, a Mind and a way to ask, they answer a window."""
