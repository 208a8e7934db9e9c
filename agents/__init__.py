"""The minds: no Django. Given a View, a Mind and a way to ask, they answer a window."""
