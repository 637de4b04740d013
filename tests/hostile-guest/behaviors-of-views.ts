import { close, envelope, head, refusal, say, streamHead, message as unary, whole } from './answers.ts'
import { type Behavior, rule, servicesCall, terminalsCall, waited } from './behavior.ts'
import { bytes, message, number, repeated, signed } from './wire.ts'

const text = (length: number, of = 'x') => of.repeat(length)
const kibibytes64 = text(65_536)
const follow = terminalsCall('FollowTerminal')
const begin = (offset: number | bigint, modes: string) =>
  envelope(bytes(1, message(number(1, offset), bytes(2, modes), bytes(3, message(number(1, 2 ** 31), number(2, 0))))))
const unanswered = ['service.unanswered']

const page = 'GET /page'
const webSocketHead = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\n'

const watchServices = servicesCall('WatchServices')
const snapshot = (...parts: readonly Uint8Array[]) => envelope(bytes(1, message(...parts)))
const port = (number_: number, command: string) =>
  bytes(2, message(number(1, number_), bytes(2, command), bytes(3, command)))
const service = (key: string) =>
  bytes(1, message(bytes(1, key), bytes(2, key), number(3, 1), number(4, 2), number(5, 99), bytes(8, text(1000))))

/** Terminals, services, pages of services, and requests that git makes inside. */
export const behaviorsOfViews: readonly Behavior[] = [
  {
    name: 'terminal: an open that never responds',
    use: 'openTerminal',
    gets: [waited],
    isLast: true,
    rules: [rule(terminalsCall('OpenTerminal'), [])],
  },
  {
    name: 'terminal: an open that is refused with 300 KB of bidi',
    use: 'openTerminal',
    gets: ['terminal.refused'],
    rules: [rule(terminalsCall('OpenTerminal'), refusal('invalid_argument', text(100_000, '\u202e')))],
  },
  {
    name: 'terminal: an open without content',
    use: 'openTerminal',
    gets: ['ok'],
    rules: [rule(terminalsCall('OpenTerminal'), unary(message()))],
  },
  {
    name: 'terminal: a list of 20,000 others',
    use: 'terminals',
    gets: ['ok'],
    rules: [
      rule(
        terminalsCall('ListTerminals'),
        unary(repeated(20_000, () => bytes(1, message(bytes(1, 'trm_other'), bytes(5, message(signed(1, -1))))))),
      ),
    ],
  },
  {
    name: 'terminal: beginnings of 512 KiB without end',
    use: 'viewTerminal',
    gets: ['any'],
    rules: [rule(follow, [streamHead, say(begin(0, text(512 * 1024)), { times: 'endless' })])],
  },
  {
    name: 'terminal: sizes of 2³¹ without end',
    use: 'viewTerminal',
    gets: ['any'],
    rules: [
      rule(follow, [
        streamHead,
        say(begin(0, '')),
        say(envelope(bytes(3, message(number(1, 2 ** 31)))), { times: 'endless' }),
      ]),
    ],
  },
  {
    name: 'terminal: beginnings and output in turns, without end',
    use: 'viewTerminal',
    gets: ['any'],
    rules: [
      rule(follow, [
        streamHead,
        say(Buffer.concat([begin(0, ''), envelope(bytes(2, kibibytes64))]), { times: 'endless' }),
      ]),
    ],
  },
  {
    name: 'terminal: an offset of 2⁶⁴−1, and an end of −2³¹',
    use: 'viewTerminal',
    gets: ['any'],
    rules: [
      rule(follow, [
        streamHead,
        say(begin(-1, '')),
        say(envelope(bytes(4, message(signed(1, -2_147_483_648), bytes(2, text(1000)))))),
        close,
      ]),
    ],
  },
  {
    name: 'service: a start that never responds',
    use: 'startService',
    gets: [waited],
    isLast: true,
    rules: [rule(servicesCall('StartService'), [])],
  },
  {
    name: 'service: a start that reports another service',
    use: 'startService',
    gets: ['ok'],
    rules: [rule(servicesCall('StartService'), unary(service('other')))],
  },
  {
    name: 'service: an error of 300 KB of bidi',
    use: 'startService',
    gets: ['service.refused'],
    rules: [rule(servicesCall('StartService'), refusal('invalid_argument', text(100_000, '\u202e')))],
  },
  {
    name: 'service: a log of 3 MiB from offset 2⁶⁴−1',
    use: 'serviceLogs',
    gets: ['ok'],
    rules: [
      rule(
        servicesCall('ReadServiceLog'),
        unary(message(bytes(1, text(3 * 1024 * 1024)), number(2, -1), number(3, 2n ** 63n), number(4, -1))),
      ),
    ],
  },
  {
    name: 'service: a log that breaks off',
    use: 'serviceLogs',
    gets: unanswered,
    rules: [
      rule(servicesCall('ReadServiceLog'), [
        say('HTTP/1.1 200 OK\r\ncontent-type: application/proto\r\ncontent-length: 100\r\n\r\nx'),
        close,
      ]),
    ],
  },
  {
    name: 'service: a stop that never responds',
    use: 'stopService',
    gets: [waited],
    isLast: true,
    rules: [rule(servicesCall('StopService'), [])],
  },
  {
    name: 'services: reports without end, each with other ports',
    use: 'services',
    isFollowed: true,
    gets: ['ok'],
    rules: [
      rule(watchServices, [
        streamHead,
        say(Buffer.concat([snapshot(port(1, 'a'), service('x')), snapshot(port(2, '\u202eb'), port(99_999_999, ''))]), {
          times: 'endless',
        }),
      ]),
    ],
  },
  {
    name: 'services: a report of 100,000 services',
    use: 'services',
    isFollowed: true,
    gets: ['ok'],
    rules: [rule(watchServices, [streamHead, say(snapshot(repeated(100_000, (n) => bytes(1, bytes(1, `k${n}`)))))])],
  },
  { name: 'page: never responds', use: 'preview', gets: [waited], rules: [rule(page, [])] },
  {
    name: 'page: a header of 10 MiB',
    use: 'preview',
    gets: ['502', '503'],
    rules: [rule(page, [say('HTTP/1.1 200 OK\r\nx: '), say(kibibytes64, { times: 160 })])],
  },
  {
    name: 'page: informational responses without end',
    use: 'preview',
    gets: [waited],
    rules: [rule(page, [say('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n', { times: 'endless' })])],
  },
  {
    name: 'page: a body without end',
    use: 'preview',
    gets: ['200'],
    rules: [rule(page, [head('text/html'), say(kibibytes64, { times: 'endless' })])],
  },
  {
    name: 'page: a WebSocket frame of 1 GiB',
    use: 'socket',
    gets: ['8 MiB'],
    rules: [
      rule('GET /socket', [
        say(`${webSocketHead}\r\n`),
        say(Buffer.concat([Buffer.from('827f0000000040000000', 'hex')])),
        say(kibibytes64, { times: 16_384 }),
      ]),
    ],
  },
  {
    name: 'page: a WebSocket that is never read',
    use: 'unreadSocket',
    gets: ['101'],
    rules: [rule('GET /socket', [say(`${webSocketHead}\r\n`), say(kibibytes64, { times: 'endless' })])],
  },
  {
    name: 'page: an upgrade that is no upgrade',
    use: 'socket',
    gets: ['refused: 200'],
    rules: [rule('GET /socket', whole('no'))],
  },
  {
    name: '10,000 connections to its name server',
    use: 'list',
    gets: ['ok'],
    connect: { port: 53, count: 10_000 },
    rules: [],
  },
]
