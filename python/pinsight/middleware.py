"""Middleware for web services: keeps the flight recorder's content after a slow request.

    app = pinsight.middleware.WSGI(app, seconds=1.0)   # Flask, Django (wsgi.py)
    app = pinsight.middleware.ASGI(app, seconds=1.0)   # FastAPI, Starlette, Django (asgi.py)

Each request is a region "request"; see pinsight.keep_if. A slow request has a mark with its method
and path. Run the service with `pinsight run --ring 30s`.
"""
from ._keep import keep_if


class WSGI:
    """Wraps a WSGI application (PEP 3333). A request lasts until its body is sent and closed."""

    def __init__(self, app, seconds: float, most: int = 10) -> None:
        self.app, self.seconds, self.most = app, seconds, most

    def __call__(self, environ, start_response):
        request = keep_if(self.seconds, most=self.most, about="%s %s" % (environ.get("REQUEST_METHOD"), environ.get("PATH_INFO")))
        request.__enter__()
        try:
            return _Body(self.app(environ, start_response), request)
        except BaseException:
            request.__exit__()
            raise


class _Body:
    def __init__(self, body, request):
        self._body, self._request, self._parts = body, request, iter(body)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._parts)

    def __len__(self):
        return len(self._body)  # servers send the length of a body of one part

    def __bool__(self):
        return bool(self._body)  # a generator has no length, and is true

    def close(self):
        try:
            if hasattr(self._body, "close"):
                self._body.close()
        finally:
            self._request.__exit__()


class ASGI:
    """Wraps an ASGI application. A request lasts until the application returns."""

    def __init__(self, app, seconds: float, most: int = 10) -> None:
        self.app, self.seconds, self.most = app, seconds, most

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        with keep_if(self.seconds, most=self.most, about="%s %s" % (scope.get("method"), scope.get("path"))):
            return await self.app(scope, receive, send)
