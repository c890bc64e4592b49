"""The screens: what each draws, and what keys and clicks mean on it. No I/O."""
