import { close, envelope, head, longMessage, refusal, say, stream, streamHead, whole } from './answers.ts'
import { type Behavior, processCall, rule, runsCall } from './behavior.ts'
import { bytes, double, message, number, repeated, signed } from './wire.ts'

const read = runsCall('Read')
const start = processCall('Start')

/** Messages of `ReadResponse`. */
const output = (offset: number | bigint, data: string | Uint8Array) =>
  message(bytes(1, message(number(1, offset), bytes(2, data))))
const display = (index: number, bundle: string) => message(bytes(2, message(number(1, index), bytes(2, bundle))))
const ended = (...fields: readonly Uint8Array[]) => message(bytes(3, message(number(1, 1), ...fields)))
const keepAlive = message(bytes(4, ''))
/** Messages of `StartResponse`. */
const started = message(bytes(1, message(bytes(1, message(number(1, 77))))))
const printed = (text: string | Uint8Array) => message(bytes(1, message(bytes(2, message(bytes(1, text))))))
const exited = message(bytes(1, message(bytes(3, message(signed(1, 0), number(2, 1))))))

const text = (length: number, of = 'x') => of.repeat(length)
const kibibytes64 = text(65_536)

const stopped = ['stopped call.stopped']
const broken = ['interrupted call.interrupted', ...stopped]

/** Commands, cells, and programs that the server starts for tools. */
export const behaviorsOfRuns: readonly Behavior[] = [
  { name: 'run: never responds', use: 'run', gets: stopped, rules: [rule(read, [])] },
  { name: 'run: closes without a response', use: 'run', gets: stopped, rules: [rule(read, [close])] },
  { name: 'run: sends a head and nothing more', use: 'run', gets: stopped, rules: [rule(read, [streamHead])] },
  {
    name: 'run: a head of one byte per second',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [say('H', { times: 'endless', everyMs: 1000 })])],
  },
  {
    name: 'run: informational responses without end',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [say('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', { times: 'endless' })])],
  },
  {
    name: 'run: a header of 10 MiB',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [say(`HTTP/1.1 200 OK\r\nx: `), say(kibibytes64, { times: 160 })])],
  },
  {
    name: 'run: trailers of 10 MiB',
    use: 'run',
    gets: stopped,
    rules: [
      rule(read, [
        say('HTTP/1.1 200 OK\r\ncontent-type: application/connect+proto\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: '),
        say(kibibytes64, { times: 160 }),
      ]),
    ],
  },
  {
    name: 'run: a message of 4 GiB',
    use: 'run',
    gets: ['failed guest.response-too-large'],
    rules: [rule(read, longMessage(4 * 1024 ** 3 - 65_536))],
  },
  {
    name: 'run: a compressed message',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [streamHead, say(envelope(Buffer.from(text(100)), { flags: 1 })), close])],
  },
  {
    name: 'run: a compressed body',
    use: 'run',
    gets: stopped,
    rules: [
      rule(read, [
        head('application/connect+proto', { more: 'content-encoding: gzip\r\nconnect-content-encoding: gzip\r\n' }),
        say(Buffer.from('1f8b0800000000000003', 'hex')),
        close,
      ]),
    ],
  },
  {
    name: 'run: bytes that are no message',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [streamHead, say(envelope(Buffer.alloc(1000, 0xff))), close])],
  },
  { name: 'run: HTML', use: 'run', gets: stopped, rules: [rule(read, whole('<b>no</b>', { type: 'text/html' }))] },
  {
    name: 'run: an error text of 1 MiB',
    use: 'run',
    gets: stopped,
    rules: [rule(read, refusal('internal', text(1024 * 1024)))],
  },
  {
    name: 'run: an error with codes of terminals',
    use: 'run',
    gets: stopped,
    rules: [rule(read, refusal('unauthenticated', '\u001b]0;title\u0007\u202egnp.exe'))],
  },
  {
    name: 'run: says that it knows no such run',
    use: 'run',
    gets: broken,
    rules: [rule(read, refusal('not_found', 'no such run'))],
  },
  {
    name: 'run: signs of life without end',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [streamHead, say(envelope(keepAlive), { times: 'endless', everyMs: 1 })])],
  },
  {
    name: 'run: output without end',
    use: 'run',
    gets: stopped,
    rules: [rule(read, [streamHead, say(envelope(output(0, kibibytes64)), { times: 'endless' })])],
  },
  {
    name: 'run: output at offset 2⁶³',
    use: 'run',
    gets: ['succeeded'],
    rules: [rule(read, stream(output(2n ** 63n, 'far'), ended()))],
  },
  {
    name: 'run: output at offset −1',
    use: 'run',
    gets: ['succeeded'],
    rules: [rule(read, stream(output(-1, 'before'), ended()))],
  },
  {
    name: 'run: an end with exit code 2³¹−1 and a duration that is no number',
    use: 'run',
    gets: ['failed', 'succeeded'],
    rules: [rule(read, stream(ended(signed(2, 2_147_483_647), double(10, Number.NaN), number(6, 2n ** 63n))))],
  },
  {
    name: 'run: an end of an unknown cause',
    use: 'run',
    gets: ['failed', 'succeeded'],
    rules: [rule(read, stream(message(bytes(3, message(number(1, 99))))))],
  },
  {
    name: 'run: an end in a directory with .., NUL and bidi, whose name is 4 MiB long',
    use: 'run',
    gets: ['succeeded'],
    rules: [rule(read, stream(ended(bytes(5, `/../../etc\0\u202e${text(4 * 1024 * 1024)}`))))],
  },
  {
    name: 'run: an end that names 100,000 programs that still run',
    use: 'run',
    gets: ['succeeded'],
    rules: [rule(read, stream(ended(repeated(100_000, () => bytes(11, text(100))))))],
  },
  {
    name: 'run: an end with a signal of 8 MiB',
    use: 'run',
    gets: ['failed command.signalled'],
    rules: [rule(read, stream(message(bytes(3, message(number(1, 2), bytes(3, text(8 * 1024 * 1024)))))))],
  },
  {
    name: 'cell: results without end',
    use: 'python',
    gets: stopped,
    rules: [
      rule(read, [
        streamHead,
        say(envelope(display(0, JSON.stringify({ data: { 'text/html': text(1_000_000) } }))), { times: 'endless' }),
      ]),
    ],
  },
  {
    name: 'cell: a result that is 1,000,000 levels deep',
    use: 'python',
    gets: ['succeeded'],
    rules: [
      rule(
        read,
        stream(display(2 ** 31, `{"data":{"application/json":${'['.repeat(1e6)}${']'.repeat(1e6)}}}`), ended()),
      ),
    ],
  },
  {
    name: 'cell: a result of 500,000 types',
    use: 'python',
    gets: ['succeeded'],
    rules: [
      rule(
        read,
        stream(
          display(0, `{"data":{${Array.from({ length: 500_000 }, (_, n) => `"text/x${n}":"y"`).join(',')}}}`),
          ended(),
        ),
      ),
    ],
  },
  {
    name: 'cell: a traceback of 15 MiB',
    use: 'python',
    gets: ['failed'],
    rules: [
      rule(
        read,
        stream(ended(bytes(7, text(1000)), bytes(8, text(1e6)), bytes(9, '\u001b[31m'.repeat(3 * 1024 * 1024)))),
      ),
    ],
  },
  {
    name: 'search: lines without a line break and without end',
    use: 'searchTool',
    gets: ['succeeded', ...stopped],
    rules: [
      rule(start, [streamHead, say(envelope(started)), say(envelope(printed(kibibytes64)), { times: 'endless' })]),
    ],
  },
  {
    name: 'search: never ends',
    use: 'searchTool',
    gets: stopped,
    rules: [rule(start, [streamHead, say(envelope(started)), say(envelope(printed('one\n')))])],
  },
  {
    name: 'search: cuts the stream off',
    use: 'searchTool',
    gets: ['failed guest.answer-unknown'],
    rules: [rule(start, [streamHead, say(envelope(started)), say(envelope(printed('one\n')).subarray(0, 9)), close])],
  },
  {
    name: 'git: prints without end',
    use: 'git',
    gets: ['ok', 'git.failed', 'git.output-unknown'],
    rules: [
      rule(start, [streamHead, say(envelope(started)), say(envelope(printed(kibibytes64)), { times: 'endless' })]),
    ],
  },
  {
    name: 'git: says what git never says',
    use: 'git',
    gets: ['ok', 'git.failed', 'git.output-unknown'],
    rules: [rule(start, stream(started, printed('\0../../\u202e\n-1 2 NaN\0\n'.repeat(5000)), exited))],
  },
  {
    name: 'page: the browser reports 10 MiB',
    use: 'pageTool',
    gets: ['failed page.browser-failed'],
    rules: [
      rule(read, [streamHead, say(envelope(output(0, kibibytes64)), { times: 160 }), say(envelope(ended())), close]),
    ],
  },
  {
    name: 'page: the browser reports what no page has',
    use: 'pageTool',
    gets: ['failed page.browser-failed'],
    rules: [rule(read, stream(output(0, `{"problem":null,"pageWidth":-1,"picture":${'['.repeat(500_000)}`), ended()))],
  },
]
