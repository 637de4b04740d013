import type { InvariantTest } from './invariant-tests.ts'

const isolation = 'tests/system/isolation.test.ts'
const closed = 'tests/system/network-fails-closed.test.ts'
const inGvisor = 'tests/system/isolation-in-gvisor.test.ts'
const sentry = 'tests/system/sentry.test.ts'
const previews = 'tests/browser/preview-origin.test.ts'
const egress = 'tests/system/egress.test.ts'
const policies = 'apps/server/src/sandboxes/network/thread-network.test.ts'
const brokered = 'tests/system/brokered-secrets.test.ts'
const egressKills = 'tests/system/egress-kills.test.ts'
const grants = 'apps/server/src/sandboxes/secrets/sandbox-secrets.test.ts'
const scopes = 'apps/server/src/route-scopes.test.ts'
const anyRequest = 'tests/compatibility/api-fuzz.test.ts'
const limitedKeys = 'apps/server/src/limited-keys.test.ts'
const signIn = 'apps/server/src/people/users/sign-in-limits.test.ts'
const pool = 'packages/disk-store/src/btrfs-disk-store.system.test.ts'
const hostileGuest = 'tests/system/hostile-guest.test.ts'
const privateAddresses = 'tests/system/private-addresses.test.ts'
const networkRoles = 'apps/server/src/sandboxes/network/network-roles.test.ts'
const transport = 'apps/server/src/sandboxes/host/guest-transport.test.ts'
const upgrade = 'deploy/launcher/upgrade.test.ts'

/**
 * The tests that fail when a promise of `docs/threat-model.md` is broken, by the words that it begins with. All of them, in
 * the order of the page.
 */
export const threatTests: Readonly<Record<string, readonly [InvariantTest, ...InvariantTest[]]>> = {
  'a sandbox reaches no private, link-local or metadata address': [
    { file: isolation, title: 'does not reach %s, which the machine reaches' },
    { file: inGvisor, title: 'does not reach services of the machine on any of its addresses, loopback included' },
    {
      file: isolation,
      title: 'does not reach another sandbox, which the gateway reaches, nor one of another installation',
    },
    { file: inGvisor, title: 'has no IPv6, also when root adds an address' },
  ],
  'a sandbox reaches no machine on a link of the host': [
    { file: isolation, title: 'does not reach a machine with a public address on the same link' },
    { file: isolation, title: 'a default gateway with a public address forwards packets but is not a destination' },
    { file: isolation, title: 'does not reach Azure’s platform address, which is routed' },
  ],
  'the rules about sandboxes hold while no daemon runs': [
    {
      file: closed,
      title:
        'with the daemon and its processes killed and all rules of the machine removed, no target responds to a sandbox',
    },
    { file: closed, title: 'without the router no packet leaves, and the checks of the machine say why' },
  ],
  'no process with rights on the machine parses what a guest sends': [
    {
      file: closed,
      title: 'no process with rights parses what a guest sends: the gateway has no capability, and only the router',
    },
    {
      file: closed,
      title:
        'no process with rights parses what a sandbox asks: the DNS process has a user of its own and no capability',
    },
    {
      file: closed,
      title:
        'no process with rights relays what a sandbox sends: egress has a user of its own, no capability, and only the router',
    },
  ],
  'a sandbox reaches only what the policies of its installation, workspace, agent and thread all allow': [
    {
      file: policies,
      title: 'each level can only narrow: a thread reaches what all levels allow, and names those that decide',
    },
    {
      file: policies,
      title: 'a person who isn’t the owner narrows their own threads, agents and workspaces, and widens nothing',
    },
    {
      file: policies,
      title:
        'a new sandbox has its thread’s policy, a running and a paused one the changed one when the request returns',
    },
    { file: egress, title: 'a change ends open connections, and a restart of the host daemon keeps it' },
    { file: egress, title: 'a sandbox that is paused wakes with the egress that it was given in the meantime' },
    { file: egress, title: 'a fork has its own egress from its first moment, and its source keeps its own' },
  ],
  'with a list of allowed names, a sandbox reaches those names': [
    {
      file: 'tests/system/egress-matrix.test.ts',
      title: 'in every state, a sandbox gets out in the ways that its policy allows, and in no other',
    },
    {
      file: egress,
      title:
        'with a list a sandbox reaches its names at their ports, and neither their addresses nor other names there',
    },
    {
      file: egress,
      title: 'a list that gains a name keeps connections, and one that loses it ends them when the request returns',
    },
    {
      file: isolation,
      title: 'none blocks everything immediately, and with a list only addresses that stand for names are open',
    },
    {
      file: isolation,
      title:
        'of the router’s processes only that of the relay reaches the internet, and what no sandbox reaches it does not',
    },
  ],
  'in private networks, a sandbox reaches only services that the owner listed': [
    { file: privateAddresses, title: 'under %s a listed service is reached, by its name at its port only' },
    {
      file: privateAddresses,
      title: 'a name that was pointed elsewhere is refused, with the reason, and not the machine reached',
    },
    {
      file: privateAddresses,
      title: 'a removed entry ends open connections, and stays removed after a restart of the daemon',
    },
    { file: networkRoles, title: '%s widens no level, and does not set the list of private addresses' },
  ],
  'nothing but the gateway opens a connection to a sandbox': [
    { file: isolation, title: 'only the gateway reaches a sandbox: no user of the machine does, no neighbor' },
  ],
  'files, processes, packages and ports of a sandbox are not in another one': [
    { file: inGvisor, title: 'files, processes, packages, ports and variables of one are not in the other' },
  ],
  'a program that replaces the kernel of a sandbox': [
    {
      file: sentry,
      title: 'has no capability over the machine, and reads no file, process or socket of it, in its own namespaces',
    },
    { file: sentry, title: 'nor in a user namespace that it makes' },
    { file: sentry, title: 'nor if it sees the processes of the machine' },
  ],
  'a sandbox cannot fill the disk pool': [
    { file: pool, title: 'keeps its reserve: all disks together cannot use it, and no new disk is created' },
    { file: pool, title: 'keeps its reserve from a disk that fills it with small files, stored as %s' },
    {
      file: 'tests/system/disk-flood.test.ts',
      title:
        'a sandbox that fills its disk with small things takes nothing that others need, and its deletion gives all of it back',
    },
  ],
  'a sandbox cannot fill the server’s disk with output': [
    {
      file: 'tests/system/flood.test.ts',
      title: 'head and tail are exact, and the server’s data stays within the limit',
    },
  ],
  'a sandbox takes no more network than its rate': [
    {
      file: 'tests/system/bandwidth.test.ts',
      title: 'a sandbox $way no faster than its rate, and another one has a rate of its own',
    },
  ],
  'a guest daemon that was replaced cannot fill the memory': [
    {
      file: transport,
      title: 'a message of a stream that claims to be 4 GiB long is refused, and its connection closed',
    },
    { file: transport, title: 'a manifest that never ends is refused, and its connection closed' },
    {
      file: 'packages/sandbox-gateway/src/guest-requests.test.ts',
      title: 'a response of a guest that never ends is refused at 4 MiB',
    },
    { file: transport, title: 'a manifest of a million things that are no processes is refused immediately' },
    {
      file: 'apps/server/src/sandboxes/terminals/terminals.test.ts',
      title: 'a guest that begins again and again gets a new stream for each, and a view no more than they contain',
    },
  ],
  'whatever a replaced guest daemon responds': [
    { file: hostileGuest, title: 'its thread continues or gets the cause, and others are served' },
    {
      file: transport,
      title: 'a guest that never responds, or a byte at a time, is an error of the sandbox and not of the host',
    },
    { file: 'packages/sandbox-gateway/src/gateway.test.ts', title: 'a response that $name is an error of the sandbox' },
  ],
  'a guest daemon’s error is never taken for one of the server': [
    { file: transport, title: 'a guest’s error about a file cannot be one of the server’s own' },
  ],
  'after a cold start, nothing that was in memory is reported as kept': [
    {
      file: 'apps/server/src/sandboxes/lifecycle/survival-lies.test.ts',
      title: 'a guest that repeats its earlier manifest after a cold start has kept nothing that was in memory',
    },
  ],
  'parsers of untrusted bytes accept any input': [
    {
      file: 'deploy/build/house/parsers.test.ts',
      title: 'a listed parser has a test that imports it and checks a property',
    },
  ],
  'a preview page never has the app’s origin': [
    { file: previews, title: 'the page has its own cookies in the frame, and none of the app' },
    { file: previews, title: 'the API, by any kind of request' },
    { file: previews, title: 'by requests that carry the session' },
    {
      file: previews,
      title: 'by requests of any method, with and without the session, with headers that name another sender',
    },
    { file: previews, title: 'by opening the app in a window, of which it gets no handle' },
    {
      file: previews,
      title: 'by a passkey of the app: in its frame it can use none, in a tab none of the app’s host',
    },
    { file: previews, title: 'by a cookie of the app’s name for the whole domain' },
  ],
  'cookies that a preview’s page plants neither hide': [
    {
      file: previews,
      title: 'by as many cookies as the browser keeps: the app works, and clears them without signing out',
    },
    {
      file: 'apps/server/src/people/users/users.test.ts',
      title: 'any number of planted cookies before it does not hide the session',
    },
  ],
  'neither a model nor a sandbox gets the key of a model provider': [
    {
      file: 'apps/server/src/turns/engine/turns.test.ts',
      title:
        'the key of %s is a header of its requests, and is not in what the model, a command or the conversation gets',
    },
  ],
  'the token of a Git credential or connection is in no thread’s sandbox': [
    {
      file: 'tests/system/git-credentials.test.ts',
      title: 'the token is nowhere in the sandbox while git runs, nor in logs, errors and the audit log',
    },
    {
      file: 'tests/system/connection-programs.test.ts',
      title: 'the secret is in the sandbox of its connection, and in no thread, log, error, response or database',
    },
  ],
  'the value of a secret is in no sandbox that a person hasn’t given it to': [
    {
      file: 'apps/server/src/sandboxes/secrets/secret-canary.test.ts',
      title:
        'the value of a secret is at the broker, and in no response, log, row, file, export, agent or model request',
    },
    {
      file: 'tests/system/secret-canary.test.ts',
      title:
        'after a secret was used, a search that finds a planted text in each place finds its value in memory of server and egress only',
    },
    { file: grants, title: 'a value given directly is in the sandbox and not at the broker, and marks the thread' },
    {
      file: 'apps/server/src/threads/secrets/secrets.test.ts',
      title: 'a value is sealed in the database, and in no response and no row of the audit log',
    },
  ],
  'a secret is used only in threads that it was granted to': [
    {
      file: grants,
      title: 'revoking returns only when the broker uses the secret no longer, and a new grant has another placeholder',
    },
    { file: grants, title: 'a thread that moves or is deleted loses what its workspace gave it' },
    { file: grants, title: 'a fork has its own placeholder, and none of a secret that its owner doesn’t have' },
    {
      file: 'apps/server/src/threads/secrets/secrets.test.ts',
      title: 'another person finds no secret, and makes none for the installation or a workspace of others',
    },
  ],
  'the placeholder of a secret works in one sandbox': [
    {
      file: grants,
      title: 'a placeholder is of one secret and one sandbox, and stays the same when the value changes',
    },
    {
      file: grants,
      title: 'revoking returns only when the broker uses the secret no longer, and a new grant has another placeholder',
    },
  ],
  'the value of a secret goes to its hosts only': [
    {
      file: 'packages/secret-broker/src/attacks.test.ts',
      title: 'no attack gets the value anywhere but into the allowed request',
    },
    {
      file: egressKills,
      title: 'egress is killed when %s: the value is nowhere else, and usable again',
    },
    {
      file: egressKills,
      title: 'after these kills, no sandbox, other host, connection or file has a value',
    },
    { file: brokered, title: 'a placeholder from another thread is worth nothing' },
    {
      file: brokered,
      title: 'a thread uses a secret at its host, and what is in the sandbox is never the value',
    },
  ],
  'an agent file that is hostile, too large or damaged is refused': [
    {
      file: 'tests/system/agent-file-refused.test.ts',
      title:
        'a file that is hostile, too large, truncated, or for another image is refused, and leaves nothing on the pool',
    },
  ],
  'nothing of an imported agent file runs, is given to a model or is granted before a person accepts it': [
    {
      file: 'apps/server/src/workflows/agents/agent-drafts.test.ts',
      title: 'before a person accepts it nothing of it starts, is granted or is available',
    },
    {
      file: 'tests/system/agent-file.test.ts',
      title: 'nothing of a hostile file runs before it is accepted, and in a run each choice holds',
    },
  ],
  'requests of connections go only to addresses that were checked': [
    {
      file: 'apps/server/src/turns/connections/connections.test.ts',
      title: 'a name that resolves to %s is refused when connecting',
    },
    {
      file: 'apps/server/src/turns/connections/connections.test.ts',
      title: 'a server cannot redirect the request to another address',
    },
  ],
  'an API key does only what its scopes say': [
    { file: scopes, title: 'lets a key with one scope through only if it is the required one' },
    { file: scopes, title: 'needs a session that was confirmed in the last ten minutes' },
  ],
  'an API key that is limited to workspaces reaches only what is in them': [
    {
      file: limitedKeys,
      title: '$route: responds to what is in another workspace, or in none, exactly as to an unknown id',
    },
    { file: limitedKeys, title: 'GET %s lists what is in its workspace and nothing else' },
    { file: limitedKeys, title: 'over a stream and a socket are of its workspaces only' },
    { file: limitedKeys, title: 'can be deleted: a key whose last one is gone reaches nothing' },
  ],
  'a person, and an API key, can’t tell what belongs to another person': [
    {
      file: 'apps/server/src/bad-input.test.ts',
      title: 'responds to another user’s id exactly as to an unknown one',
    },
    {
      file: anyRequest,
      title: 'any request of %s gets a response that the document has, in 10 s, without a server error',
    },
  ],
  'a key from the environment is not sent': [
    { file: scopes, title: 'is not sent to an address that a key, or a session without confirmation, enters' },
  ],
  '`up` installs nothing from a registry': [
    { file: 'deploy/launcher/launcher.test.ts', title: 'are refused with another checksum, or without a pinned one' },
    {
      file: 'images/packages.test.ts',
      title: 'everything that the image gets from PyPI has a version and a checksum',
    },
  ],
  '`./threadbox upgrade` installs no release': [
    { file: upgrade, title: 'a release without a signature is refused, and nothing changes' },
    {
      file: upgrade,
      title: 'a release that a stranger has signed is refused, also if it brings the stranger’s key along',
    },
    { file: upgrade, title: 'the signed tag of one release is refused under the name of another' },
  ],
  'guessing passwords is limited by client and account': [
    { file: signIn, title: 'clients behind a trusted proxy are counted separately, IPv6 by /64' },
    { file: signIn, title: 'a guesser at many addresses locks out other devices, but not one that was signed in' },
    { file: signIn, title: 'signing in to an own account doesn’t reset the address’s count' },
    {
      file: 'tests/browser/sign-in-behind-nginx.test.ts',
      title: 'three clients are counted separately, whatever they write into the header, also after a restart',
    },
  ],
  '`./threadbox audit verify` finds rows': [
    { file: 'apps/server/src/people/audit/audit.test.ts', title: 'a row that was changed: %o' },
    { file: 'apps/server/src/people/audit/audit.test.ts', title: 'a removed row, in the middle and at the end' },
    { file: 'apps/server/src/people/audit/audit.test.ts', title: 'an added row' },
    { file: 'apps/server/src/people/audit/audit.test.ts', title: 'swapped rows' },
  ],
  'no row of the audit log has a secret': [
    {
      file: 'apps/server/src/audit-of-actions.test.ts',
      title: 'no row has a secret, whatever was done: entered, shown once, or in an address',
    },
  ],
  'a support bundle has no title, name, address, path or secret': [
    {
      file: 'apps/cli/src/bundle/bundle.test.ts',
      title: 'a support bundle has versions, counts, errors and log lines, and nothing that people or services wrote',
    },
    {
      file: 'apps/cli/src/bundle/bundled-text.fuzz.test.ts',
      title: 'whatever a log line has, only known words and numbers stay',
    },
  ],
  'text in another system’s error or an agent’s output is never executed': [
    { file: 'tests/browser/answers.test.ts', title: 'fetches no image from its text and runs no script in it' },
    {
      file: 'tests/browser/thread.test.ts',
      title: 'HTML of a cell stands in a frame without this page’s origin, and its scripts run there only',
    },
  ],
}
