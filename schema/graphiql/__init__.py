"""The GraphiQL page, and where its files come from.

`make install` bundles GraphiQL into dist/ where Node is there; then the page works without a network. Otherwise the page
loads the same versions from esm.sh, the CDN of GraphiQL's own example, and says so. Which of the two is decided at import.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

__all__ = ["graphiql_page", "graphiql_routes"]

_HERE = Path(__file__).parent
_DIST = _HERE / "dist"
_BUNDLED = (_DIST / "bundle.js").is_file()
_CDN = "https://esm.sh"


def graphiql_page() -> Response:
    """Return the page: for a GET of the endpoint by a browser. It sends what is typed to the address it was loaded from."""
    return _response_of(_bundle() if _BUNDLED else _cdn())


def graphiql_routes() -> list[BaseRoute]:
    """Return the routes of the page's files, to stand beside the endpoint's route: /graphiql/ beside /graphql."""
    if _BUNDLED:
        return [Mount("/graphiql", StaticFiles(directory=_DIST))]
    return [Route("/graphiql/page.js", lambda request: FileResponse(_HERE / "page.js", media_type="text/javascript"))]


def _import_map() -> str:
    """Return where a browser finds the modules that page.js imports; React and GraphQL are loaded once for all of them."""
    pinned = _pinned()
    react = "react,react-dom"
    parts = {
        "react": "",
        "react-dom": "?external=react",
        "graphql": "",
        "@graphiql/toolkit": "?standalone&external=graphql",
        "@graphiql/react": f"?standalone&external={react},graphql,@graphiql/toolkit,@emotion/is-prop-valid",
        "@graphiql/plugin-explorer": "?standalone&external=react,@graphiql/react,graphql",
        "graphiql": f"?standalone&external={react},@graphiql/react,graphql",
    }
    imports = {name: f"{_CDN}/{name}@{pinned[name]}{options}" for name, options in parts.items()}
    for name in ("react", "react-dom", "graphiql"):
        imports[f"{name}/"] = f"{_CDN}/{name}@{pinned[name]}/"
    imports["@emotion/is-prop-valid"] = "data:text/javascript,"  # an option of a dependency that nothing here uses
    return json.dumps({"imports": imports})


class _Source(NamedTuple):
    """Where the page's files come from: what its head and body say of it, and what its policy has to allow."""

    head: str
    notice: str = ""
    scripts: str = ""
    others: str = ""


def _bundle() -> _Source:
    return _Source(
        '<link rel="stylesheet" href="graphiql/bundle.css"><script type="module" src="graphiql/bundle.js"></script>'
    )


def _cdn() -> _Source:
    import_map, start = _import_map(), 'import "graphiql/setup-workers/esm.sh"; import "./graphiql/page.js";'
    styles = "".join(
        f'<link rel="stylesheet" href="{_CDN}/{name}@{_pinned()[name]}/dist/style.css">'
        for name in ("graphiql", "@graphiql/plugin-explorer")
    )
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in (import_map, start))
    return _Source(
        f'{styles}<script type="importmap">{import_map}</script><script type="module">{start}</script>',
        f"<p>GraphiQL is loaded from {_CDN}. For a page that works offline: Node 20, then make install.</p>",
        f"{_CDN} data: blob: {hashes}",
        f"{_CDN} blob:",
    )


def _pinned() -> dict[str, str]:
    pinned: dict[str, str] = json.loads((_HERE / "package.json").read_text())["dependencies"]
    return pinned


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _response_of(source: _Source) -> Response:
    # Monaco and React put style elements into the page, which is why inline styles are allowed.
    policy = (
        f"default-src 'none'; script-src 'self' {source.scripts}; worker-src 'self' {source.others}; "
        f"connect-src 'self' {source.others}; style-src 'self' 'unsafe-inline' {source.others}; "
        f"font-src 'self' data: {source.others}; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    headers = {"content-security-policy": policy, "cache-control": "no-cache", "vary": "accept"}
    more = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
    return HTMLResponse(_PAGE % (source.head, source.notice), headers={**headers, **more})


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Loregraph</title>
<link rel="icon" href="data:,">
<style>
body { display: flex; flex-direction: column; height: 100dvh; margin: 0; }
body > p { margin: 0; padding: 4px 12px; font: 13px system-ui; background: #fff3cd; color: #533f03; }
#graphiql { flex: 1; min-height: 0; }
</style>
%s
</head>
<body>%s<div id="graphiql">Loading GraphiQL. It needs JavaScript.</div></body>
</html>
"""
