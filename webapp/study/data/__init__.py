"""Exports of campaigns and of studies, and their verification."""
