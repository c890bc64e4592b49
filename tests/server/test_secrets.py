"""Secrets are compared in constant time, by one function, wherever they are compared."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import kings_server
from kings_server.identity import same

SECRETS = {"token", "key", "secret", "ticket", "password"}
"""How the server's code calls what only its owner knows, and what is kept of it."""

OTHERS = {"bots", "certificate.py"}
"""Where keys are what a table of positions is searched by, and the path of a file."""


def compared(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines on which a secret is compared by an operator, with the expressions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            for side in (node.left, *node.comparators):
                if SECRETS & set(words(side)):
                    yield node.lineno, ast.unparse(node)


def words(node: ast.AST) -> Iterator[str]:
    """Give the words of the names in an expression, but for what is compared within it."""
    if isinstance(node, ast.Compare):
        return
    if isinstance(node, ast.Name):
        yield from node.id.split("_")
    if isinstance(node, ast.Attribute):
        yield from node.attr.split("_")
    for child in ast.iter_child_nodes(node):
        yield from words(child)


def test_no_secret_is_compared_by_an_operator() -> None:
    (folder,) = kings_server.__path__
    found = {
        f"{path.name}:{line}: {text}"
        for path in Path(folder).rglob("*.py")
        if not OTHERS & set(path.parts)
        for line, text in compared(path)
    }
    assert found == set()


def test_secrets_are_the_same_in_constant_time_alone() -> None:
    (function,) = ast.parse(inspect.getsource(same)).body
    assert isinstance(function, ast.FunctionDef)
    assert ast.unparse(function.body[-1]).startswith("return hmac.compare_digest(")
    assert len(function.body) == 2
    for one, other, equal in (("a", "a", True), ("a", "b", False), ("é", "é".encode(), True)):
        assert same(one, other) is equal
