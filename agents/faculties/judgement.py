"""Judgement: how likely everyone holds which role, given what this seat may know (SPEC 2.3)."""
