"""Extends Schemathesis: who sends each request, which objects it names, and a check that compares ids of others."""

import atexit
import json
import os
import zlib

import schemathesis

with open(os.environ["THREADBOX_API_OBJECTS"], encoding="utf-8") as file:
    objects = json.load(file)

MISSING = "unknown0000000000000a"
#: Fields of bodies and queries that name an object, by the parameter of a path that names the same.
ALIASES = {
    "fromThreadId": "threadId",
    "attachmentIds": "attachmentId",
    "connectionIds": "connectionId",
    "credentialIds": "credentialId",
    "skillIds": "skillId",
    "entryIds": "entryId",
    "workspaceIds": "workspaceId",
}
#: Requests that end the session or change the password of the person that sends them.
ENDS_SESSION = {"POST /auth/sign-out", "POST /auth/password", "DELETE /auth/sessions/{sessionId}"}

#: For the report: statuses of each route's responses, and the responses to ids of others and to missing ones.
statuses = {}
compared = {}


@atexit.register
def report():
    places = {f"{route} {'.'.join(at)}": answers for (route, at), answers in compared.items()}
    with open(os.environ["THREADBOX_API_REPORT"], "w", encoding="utf-8") as file:
        json.dump({"statuses": statuses, "compared": places}, file)


def route_of(case):
    return f"{case.method.upper()} {case.path}"


def digest(*parts):
    """A number that is the same whenever Hypothesis repeats a case."""
    return zlib.crc32(json.dumps(parts, sort_keys=True, default=str).encode("utf-8", "backslashreplace"))


def is_wrong(case, part):
    """Whether this part of a request is meant to violate the document."""
    components = case.meta.components if case.meta else {}
    return any(place == part and component.mode.is_negative for place, component in components.items())


def object_for(case, name, generated):
    """In place of a generated id: mostly the sender's own object, so that requests come further than "not found"."""
    choice = digest(name, generated, case.path_parameters, case.query, case.body) % 8
    own = objects["deleted" if case.method.upper() == "DELETE" else "own"]
    if choice == 0:
        return generated
    return objects["others"].get(name, generated) if choice == 1 else own[name]


#: Limits of a person that concern each of their requests.
LOW_LIMITS = ["awakeSandboxes", "sandboxes", "diskBytes", "apiRequestsPerSecond"]


@schemathesis.hook
def map_case(context, case):
    for name, value in list((case.path_parameters or {}).items()):
        if name in objects["own"] and not is_wrong(case, "path") and isinstance(value, str):
            case.path_parameters[name] = object_for(case, name, value)
    if isinstance(case.body, dict) and not is_wrong(case, "body"):
        for at, name in list(places_in(case.body, ("body",))):
            if digest(at, case.body) % 2 == 0:
                put(case, at, object_for(case, name, MISSING))
        if route_of(case) == "POST /sign-in-providers" and "issuer" in case.body:
            # Nothing listens there, and a test of the provider reaches nothing else.
            case.body["issuer"] = f"https://127.0.0.1:9/{digest(case.body)}"
        if route_of(case) == "PATCH /quotas":
            # Every later request would be refused, or wait for seconds.
            case.body.update({name: None for name in LOW_LIMITS if name in case.body})
    return case


@schemathesis.hook
def filter_failure(context, failure, case, response):
    # A body that is too large is refused before its fields are read.
    if response.status_code == 413 and "Schema-violating" in failure.title:
        return False
    # The provider that does not respond, not the server.
    if response.status_code == 503 and b"sign-in.provider-unreachable" in response.content:
        return False
    # OpenAPI 3.1 describes a stream by its messages; Schemathesis expects a description of the lines around them.
    media_type = (response.headers.get("content-type") or [""])[0]
    return not (media_type.startswith("text/event-stream") and "SSE event" in failure.title)


def scope_of(case):
    """Mostly the scope that the request needs, otherwise any."""
    needed = [value for one in case.operation.definition.raw.get("security", []) for value in one.get("apiKey", [])]
    scopes = sorted(objects["keys"])
    choice = digest(case.path_parameters, case.query, case.body)
    return needed[0] if needed and choice % 4 != 0 else scopes[choice % len(scopes)]


@schemathesis.hook
def before_call(context, case, **kwargs):
    if objects["keys"]:
        case.headers.setdefault("authorization", f"Bearer {objects['keys'][scope_of(case)]}")
    elif objects["headers"]:
        case.headers.update(objects["spare" if route_of(case) in ENDS_SESSION else "headers"])
    case.headers["origin"] = case.operation.base_url.rsplit("/api/", 1)[0]


@schemathesis.hook
def after_call(context, case, response):
    count = statuses.setdefault(route_of(case), {})
    count[response.status_code] = count.get(response.status_code, 0) + 1


def places_of(case):
    """Where a request names an object: a path into the request, and the kind of the object."""
    for name in case.path_parameters or {}:
        if name in objects["others"]:
            yield ("path_parameters", name), name
    for part in ("query", "body"):
        if isinstance(getattr(case, part), dict):
            yield from places_in(getattr(case, part), (part,))


def places_in(value, at):
    for key, field in value.items():
        name = ALIASES.get(key, key)
        if name in objects["others"] and field is not None:
            yield (*at, key), name
        elif isinstance(field, dict):
            yield from places_in(field, (*at, key))


def put(case, at, value):
    holder = getattr(case, at[0])
    for key in at[1:-1]:
        holder = holder[key]
    holder[at[-1]] = [value] if isinstance(holder[at[-1]], list) else value


def with_own_objects(case):
    copy = case.operation.Case(
        method=case.method,
        media_type=case.media_type,
        path_parameters=dict(case.path_parameters or {}),
        query=dict(case.query or {}),
        body=json.loads(json.dumps(case.body)) if isinstance(case.body, dict) else case.body,
    )
    for at, name in list(places_of(copy)):
        put(copy, at, objects["own"][name])
    return copy


def answer_of(case, at, value):
    copy = with_own_objects(case)
    if objects["keys"]:
        copy.headers["authorization"] = f"Bearer {objects['keys'][scope_of(case)]}"
    put(copy, at, value)
    response = copy.call()
    try:
        error = json.loads(response.content)["error"]
        texts = [error["code"], error["message"], error["remedy"]]
    except (ValueError, KeyError, TypeError):
        texts = []
    return [response.status_code, *[text.replace(value, "…") for text in texts]]


@schemathesis.check
def others_are_missing(context, response, case):
    """An id of another person's object gets the same response as one of nothing."""
    if not objects["keys"] and not objects["headers"]:
        return
    for at, name in list(places_of(case)):
        key = (route_of(case), at)
        # A request that is refused for another reason compares nothing.
        if key not in compared or compared[key][0][:2] in ([400, "request.invalid"], [400, "request.not-text"], [403, "auth.scope-missing"]):
            compared[key] = [answer_of(case, at, objects["others"][name]), answer_of(case, at, MISSING)]
        theirs, missing = compared[key]
        assert theirs == missing, f"{'.'.join(at)}: another person's gets {theirs}, a missing one {missing}"
