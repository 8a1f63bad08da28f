"""Passes: the manager, and the passes themselves in the order of the story.

A pass named ``some-pass`` is the file ``some_pass.py`` in one of the folders listed in
:data:`kt.passes.registry.FOLDERS`.
"""
