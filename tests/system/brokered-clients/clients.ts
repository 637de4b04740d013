import { isFull, repeats } from '@threadbox/testkit/repeats'

/**
 * Programs as people use them, each run in a sandbox with the host in `$HOST` and the credential in `$TOKEN`. What they
 * print must not depend on how the credential gets there.
 */
export const clients: Record<string, string> = {
  'curl, HTTP/1.1': curls('curl1', '--http1.1'),
  'curl, HTTP/2': curls('curl2', '--http2'),
  'curl with the authorities of each variable': `
    for name in SSL_CERT_FILE REQUESTS_CA_BUNDLE PIP_CERT NODE_EXTRA_CA_CERTS CURL_CA_BUNDLE \
      GRPC_DEFAULT_SSL_ROOTS_FILE_PATH HTTPLIB2_CA_CERTS; do
      curl -fsS --cacert "\${!name}" -H "Authorization: Bearer $TOKEN" -o body https://$HOST/authorities/echo
      echo $name
    done`,
  git: `
    export GIT_TERMINAL_PROMPT=0 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.test GIT_COMMITTER_NAME=a
    export GIT_COMMITTER_EMAIL=a@example.test GIT_AUTHOR_DATE=@1700000000 GIT_COMMITTER_DATE=@1700000000
    remote=https://somebody:$TOKEN@$HOST/git/git/team/$WAY
    git clone -q $remote first
    head -c 3000000 /dev/urandom > first/large
    git -C first add large
    git -C first commit -qm more
    git -C first push -q
    git clone -q $remote second
    cmp first/large second/large
    git -C second log --format=%s`,
  pip: `
    pip install -q --no-cache-dir --disable-pip-version-check --target . threadbox-example \\
      --index-url https://somebody:$TOKEN@$HOST/pip/simple
    python -c 'import threadbox_example; print(threadbox_example.ANSWER)'`,
  uv: `
    export UV_INDEX_PRIVATE_USERNAME=somebody UV_INDEX_PRIVATE_PASSWORD=$TOKEN
    uv pip install -q --no-cache --target . threadbox-example --default-index private=https://$HOST/uv/simple
    python -c 'import threadbox_example; print(threadbox_example.ANSWER)'`,
  npm: `
    export npm_config_cache=$PWD/cache npm_config_update_notifier=false npm_config_audit=false npm_config_fund=false
    mkdir example consumer
    printf '%s\\n' "registry=https://$HOST/npm/npm/" "//$HOST/npm/npm/:_authToken=\\\${TOKEN}" > .npmrc
    cp .npmrc example && cp .npmrc consumer
    cd example
    echo '{"name":"threadbox-example","version":"1.0.0","main":"index.js"}' > package.json
    echo 'module.exports = 42' > index.js
    npm publish --silent
    cd ../consumer
    echo '{"name":"consumer","version":"1.0.0"}' > package.json
    npm install --silent threadbox-example
    node -p 'require("threadbox-example")'`,
  ...Object.fromEntries(
    ['urllib', 'requests', 'httpx', 'aiohttp', 'websockets'].map((name) => [
      name,
      `python $CLIENTS/python-clients.py ${name}`,
    ]),
  ),
  'server-sent events': 'python $CLIENTS/python-clients.py events',
  fetch: 'node $CLIENTS/node-clients.js fetch',
  'HTTP/2 with 100 streams': 'node $CLIENTS/node-clients.js streams',
  gRPC: 'node $CLIENTS/node-clients.js grpc',
}

/**
 * Run without the broker in the full set only: they take the longest, and fail unless they get what they want. Their names
 * are the first part of their paths.
 */
export const brokeredOnly: readonly string[] = isFull ? [] : ['git', 'pip', 'npm']

/** Variables of all of them. */
export const environment = {
  EVENTS: String(repeats({ what: 'seconds of server-sent events in a sandbox', byDefault: 5, full: 60 })),
  EVERY_MS: isFull ? '1000' : '0',
}

/** Requests with each kind of body and status. From 1 MiB on, curl waits for `100 Continue`. */
function curls(name: string, version: string): string {
  const bearer = '-H "Authorization: Bearer $TOKEN"'
  const common = `curl -sS ${version} -o body -w '%{http_code} %{http_version} %header{x-received}\\n'`
  const ask = (rest: string) => `${common} ${rest} && sha256sum < body`
  return `
    head -c 3000000 /dev/zero > large
    ${ask(`${bearer} --data-binary @large https://$HOST/${name}/echo`)}
    ${ask(`${bearer} -T - "https://$HOST/${name}/echo?chunked" < large`)}
    ${ask(`-u "somebody:$TOKEN" "https://$HOST/${name}/echo?status=404"`)}
    ${common} ${bearer} -I https://$HOST/${name}/echo
    ${common} ${bearer} "https://$HOST/${name}/echo?status=204"
    ${common} https://$HOST/${name}/echo`
}
