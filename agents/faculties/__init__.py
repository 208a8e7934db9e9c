"""Faculties: the parts of an agent's mind, one module for each idea of a paper.

All have the interface of `agents.decision.Faculty`. A method (`agents.recipe`) is a list of
faculties. A web process loads the faculties and must not load the understanding of talk, which only
workers need. Functions of faculties therefore import what reads talk late.
"""
