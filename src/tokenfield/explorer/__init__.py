"""The explorer: a local page where tokens move. All of it is computed here; the page draws.

    scene                  a config that came from a page: checked, limited, as TOML and Python
    past                   what was done to a scene while it ran, as a program
    system measures        one running system, and what is measured of it
    frames                 frames as bytes
    session server         one WebSocket; the HTTP server with its checks
    gallery                ready scenes and the tour
    sentence               a text through a real model
    export                 a run as one page that plays without a server
    web static             the page itself: sources, and what is built of them

fastapi and uvicorn are imported by `server` only.
"""
