"""Erasure, retention, and participants' data exports."""
