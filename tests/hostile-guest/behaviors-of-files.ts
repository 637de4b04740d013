import {
  close,
  head,
  jsonBody,
  longMessage,
  refusal,
  say,
  stream,
  streamHead,
  message as unary,
  whole,
} from './answers.ts'
import { type Behavior, filesCall, rule, waited } from './behavior.ts'
import { bytes, message, number, repeated } from './wire.ts'

const text = (length: number, of = 'x') => of.repeat(length)
const kibibytes64 = text(65_536)

/** An `EntryInfo`. */
const entry = (name: string, more: readonly Uint8Array[] = [number(2, 1)]) =>
  message(bytes(1, name), ...more, bytes(3, `/home/user/${name}`), bytes(6, '-rw-r--r--'))
const stat = (name: string, ...more: readonly Uint8Array[]) =>
  rule(filesCall('Stat'), unary(bytes(1, entry(name, [number(2, 1), ...more]))))
const folderOf = (...entries: readonly Uint8Array[]) => unary(message(...entries.map((one) => bytes(1, one))))
const time = (seconds: bigint, nanos: number) => bytes(9, message(number(1, seconds), number(2, nanos)))

const list = filesCall('ListDir')
const content = 'GET /files\\?'
const failed = ['guest.answer-unknown']
const unknown = ['guest.answer-unknown']

/** Folders, files and downloads. */
export const behaviorsOfFiles: readonly Behavior[] = [
  { name: 'list: never responds', use: 'list', gets: [waited, 'guest.not-responding'], rules: [rule(list, [])] },
  { name: 'list: closes without a response', use: 'list', gets: failed, rules: [rule(list, [close])] },
  {
    name: 'list: an error of another code',
    use: 'list',
    gets: failed,
    rules: [rule(list, refusal('data_loss', text(100_000)))],
  },
  {
    name: 'list: a status that does not exist',
    use: 'list',
    gets: failed,
    rules: [rule(list, [say('HTTP/1.1 000 \u00ff\u0001\r\ncontent-length: 0\r\n\r\n')])],
  },
  {
    name: 'list: two responses to one request',
    use: 'list',
    gets: [...failed, 'ok'],
    rules: [
      rule(list, [
        say('HTTP/1.1 200 OK\r\ncontent-type: application/proto\r\ncontent-length: 0\r\n\r\n'),
        say('HTTP/1.1 401 No\r\nset-cookie: threadbox_session=evil\r\ncontent-length: 2\r\n\r\nno'),
      ]),
    ],
  },
  {
    name: 'list: line breaks in headers',
    use: 'list',
    gets: [...failed, 'ok'],
    rules: [
      rule(list, [
        say(
          'HTTP/1.1 200 OK\r\ncontent-type: application/proto\r\nx: a\r\n folded\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n',
        ),
      ]),
    ],
  },
  {
    name: 'list: two lengths',
    use: 'list',
    gets: failed,
    rules: [
      rule(list, [
        say(
          'HTTP/1.1 200 OK\r\ncontent-type: application/proto\r\ncontent-length: 0\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
        ),
      ]),
    ],
  },
  {
    name: 'list: switches protocols without being asked',
    use: 'list',
    gets: [...failed, waited],
    rules: [rule(list, [say('HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n')])],
  },
  {
    name: 'list: a response without end',
    use: 'list',
    gets: ['guest.response-too-large'],
    rules: [rule(list, [head('application/proto'), say(kibibytes64, { times: 'endless' })])],
  },
  {
    name: 'list: a response of one byte per second',
    use: 'list',
    gets: [waited, 'guest.not-responding'],
    rules: [rule(list, [head('application/proto'), say('\u000a', { times: 'endless', everyMs: 1000 })])],
  },
  {
    name: 'list: 130,000 entries',
    use: 'list',
    gets: [...unknown, 'ok'],
    rules: [rule(list, unary(repeated(130_000, (n) => bytes(1, entry(`f${n}`, [])))))],
  },
  {
    name: 'list: names with .., NUL, bidi, line breaks, and of 1 MiB',
    use: 'list',
    gets: [...unknown, 'ok'],
    rules: [
      rule(
        list,
        folderOf(entry('../../../etc/shadow'), entry('a\0b'), entry('\u202egnp.exe\n'), entry(text(1024 * 1024))),
      ),
    ],
  },
  {
    name: 'list: sizes and times of −1 and 2⁶³−1',
    use: 'list',
    gets: [...unknown, 'ok'],
    rules: [
      rule(
        list,
        folderOf(
          entry('old', [number(4, -1), time(-1n, -1)]),
          entry('new', [number(4, 2n ** 63n - 1n), time(2n ** 63n - 1n, 2 ** 31 - 1)]),
        ),
      ),
    ],
  },
  {
    name: 'list: a total of 2³²−1 and a next page of itself',
    use: 'list',
    gets: ['ok'],
    rules: [rule(list, unary(message(number(100, 4_294_967_295), bytes(101, 'a'))))],
  },
  {
    name: 'list for the agent: names of 6 MiB in all',
    use: 'listTool',
    gets: ['succeeded'],
    rules: [rule(list, unary(repeated(3, () => bytes(1, entry(text(1024 * 1024))))))],
  },
  {
    name: 'list for the agent: never responds',
    use: 'listTool',
    gets: ['stopped call.stopped'],
    rules: [rule(list, [])],
  },
  {
    name: 'read for the agent: closes without a response',
    use: 'readTool',
    gets: ['failed sandbox.guest-unreachable'],
    rules: [rule(content, [close])],
  },
  {
    name: 'read for the agent: a file without end',
    use: 'readTool',
    gets: ['succeeded', 'stopped call.stopped'],
    rules: [rule(content, [head('application/octet-stream'), say(`${text(70)}\n`, { times: 'endless' })])],
  },
  {
    name: 'write for the agent: takes nothing and never responds',
    use: 'writeTool',
    gets: ['stopped call.stopped'],
    rules: [rule('POST /files\\?', [])],
  },
  {
    name: 'entry: nothing',
    use: 'entry',
    gets: ['file.not-found'],
    rules: [rule(filesCall('Stat'), unary(message()))],
  },
  {
    name: 'download: a time that does not exist',
    use: 'download',
    gets: ['3 bytes', ...unknown],
    rules: [stat('note.txt', time(2n ** 63n - 1n, 0), number(4, 3)), rule(content, whole('abc'))],
  },
  {
    name: 'download: a length that is no number',
    use: 'download',
    gets: ['sandbox.guest-unreachable', ...unknown],
    rules: [stat('note.txt'), rule(content, [say('HTTP/1.1 200 OK\r\ncontent-length: NaN\r\n\r\nabc')])],
  },
  {
    name: 'download: less than announced',
    use: 'download',
    gets: ['terminated', 'aborted'],
    rules: [stat('note.txt'), rule(content, [say('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\nabc'), close])],
  },
  {
    name: 'download: more than announced',
    use: 'download',
    gets: ['3 bytes', 'terminated'],
    rules: [stat('note.txt'), rule(content, [say('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabcdef'), close])],
  },
  {
    name: 'download: a status without a body',
    use: 'download',
    gets: unknown,
    rules: [stat('note.txt'), rule(content, [say('HTTP/1.1 204 No\r\ncontent-length: 3\r\n\r\nabc'), close])],
  },
  {
    name: 'download: a redirect to elsewhere',
    use: 'download',
    gets: unknown,
    rules: [
      stat('note.txt'),
      rule(content, whole('', { status: '302 Found\r\nlocation: http://169.254.169.254/\r\nset-cookie: a=b' })),
    ],
  },
  {
    name: 'download: an error that signs people out',
    use: 'download',
    gets: ['file.refused'],
    rules: [
      stat('note.txt'),
      rule(
        content,
        whole(
          JSON.stringify({
            error: {
              code: 'auth.session-required',
              kind: 'unauthenticated',
              message: 'Sign in',
              remedy: '',
              details: {},
            },
          }),
          { status: '401 No' },
        ),
      ),
    ],
  },
  {
    name: 'download: an error text without end',
    use: 'download',
    gets: failed,
    rules: [
      stat('note.txt'),
      rule(content, [head('application/json', { status: '500 No' }), say(kibibytes64, { times: 'endless' })]),
    ],
  },
  {
    name: 'download: never responds',
    use: 'download',
    gets: [waited, 'guest.not-responding'],
    rules: [stat('note.txt'), rule(content, [])],
  },
  {
    name: 'archive: no zip',
    use: 'archive',
    gets: [`${8 * 1024 * 1024} bytes`],
    rules: [rule('GET /files/archive', [head('application/zip'), say(kibibytes64, { times: 128 }), close])],
  },
  {
    name: 'watch: events without end',
    use: 'watch',
    gets: ['ok'],
    rules: [
      rule(filesCall('WatchDir'), [
        ...stream(bytes(1, '')).slice(0, 1),
        say(Buffer.concat([Buffer.from('0000000002', 'hex'), bytes(1, '')])),
        say(Buffer.concat([Buffer.from('0000000002', 'hex'), bytes(2, '')]), { times: 'endless', everyMs: 0 }),
      ]),
    ],
  },
  {
    name: 'watch: a message of 1 GiB',
    use: 'watch',
    gets: ['ok'],
    rules: [rule(filesCall('WatchDir'), longMessage(1024 ** 3))],
  },
  {
    name: 'watch: never begins',
    use: 'watch',
    gets: [waited, 'ok'],
    rules: [rule(filesCall('WatchDir'), [streamHead])],
  },
  {
    name: 'move: claims another result than the one asked for',
    use: 'move',
    gets: ['ok', 'file.path-taken'],
    rules: [stat('../../other'), rule(filesCall('Move'), unary(bytes(1, entry('x'))))],
  },
  {
    name: 'remove: an unknown error of 1 MiB',
    use: 'remove',
    gets: ['file.refused'],
    rules: [stat('note.txt'), rule(filesCall('Remove'), refusal('permission_denied', text(1024 * 1024, '\u202e')))],
  },
  {
    name: 'write: says that the disk is full, without end',
    use: 'write',
    gets: ['sandbox.disk-full'],
    rules: [
      rule('POST /files\\?', [
        head('application/json', { status: '507 Full' }),
        say(kibibytes64, { times: 'endless' }),
      ]),
    ],
  },
  {
    name: 'write: a response that is another’s',
    use: 'write',
    gets: ['ok'],
    rules: [rule('POST /files\\?', jsonBody([{ id: 'other' }])), stat('x')],
  },
]
