import { randomBytes } from 'node:crypto'
import type { Driver, Program } from './driver.ts'

/**
 * The program that runs in each sandbox. It makes a nonce when it begins, which is nowhere but in its memory, and answers
 * questions over two FIFOs. From a request to watch the clock until the next question, it writes the monotonic clock
 * to memory every millisecond; between samples it rests, because many of these programs would keep a machine busy.
 */
export type ResidentProgram = {
  program: Program
  /** A line of shell that asks it; {@link readAnswer} reads what the line prints. */
  question(challenge: string): string
  /** A line that has it write to this share of its pages, in percent. */
  dirtying(percent: number): string
  /** A line that has it watch the clock, and forget the longest stall so far. */
  watching: string
}

export type Answer = {
  challenge: string
  nonce: string
  /** How many questions it has answered, with this one. */
  asked: number
  /** The longest time between two reads of the clock, from the request to watch it until the first question. */
  stallMs: number
  monotonicMs: number
  realtimeMs: number
}

export function makeResidentProgram({
  megabytes,
  separates,
}: {
  megabytes: number
  separates: Driver['capabilities']['separates']
}): ResidentProgram {
  const name = `resident-${randomBytes(4).toString('hex')}`
  // A FIFO of a disk would be one of the machine’s, and is not saved with the memory.
  const folder = separates === 'nothing' ? name : `/dev/shm/${name}`
  const ask = (words: string) =>
    `echo ${words} > ${folder}/questions; read -r answer < ${folder}/answers; echo "$answer"`
  return {
    program: ['python3', '-c', source, folder, String(megabytes)],
    question: (challenge) => ask(`ask ${challenge}`),
    dirtying: (percent) => ask(`dirty ${percent}`),
    watching: ask('watch -'),
  }
}

/** Throws unless the last line that starts with a brace belongs to this question. */
export function readAnswer(output: string, challenge: string): Answer {
  const line = output.split('\n').findLast((text) => text.startsWith('{'))
  if (line === undefined) throw new Error(`the resident program did not answer: ${output.slice(0, 200)}`)
  const answer = JSON.parse(line) as Answer
  if (answer.challenge !== challenge) throw new Error(`this answer is one to another question: ${line}`)
  return answer
}

/** Asks until the program answers: it takes a moment to begin. */
export async function untilAnswering(driver: Driver, { id, resident }: { id: string; resident: ResidentProgram }) {
  const folder = resident.program[3] ?? ''
  const waiting = `n=0; until [ -e ${folder}/ready ]; do n=$((n + 1)); [ $n -lt 1500 ] || exit 1; sleep 0.04; done`
  const { exitCode, output } = await driver.command(id, waiting)
  if (exitCode !== 0) throw new Error(`the resident program did not begin: ${output}`)
}

/** Has no single quotes: it is passed through shells. */
const source = [
  'import json, os, select, sys, time',
  'folder, megabytes = sys.argv[1], int(sys.argv[2])',
  'state = {"nonce": os.urandom(16).hex(), "asked": 0, "held": bytearray(os.urandom(1 << 20)) * megabytes}',
  'os.makedirs(folder)',
  'for name in ("questions", "answers"): os.mkfifo(folder + "/" + name)',
  'questions = os.open(folder + "/questions", os.O_RDWR | os.O_NONBLOCK)',
  'answers = os.open(folder + "/answers", os.O_RDWR)',
  'open(folder + "/ready", "w").close()',
  'clock, last, stall, written, watches = bytearray(8), 0, 0, 0, False',
  'def look():',
  '  global last, stall',
  '  now = time.monotonic_ns()',
  '  clock[:] = now.to_bytes(8, "little")',
  '  stall, last = max(stall, now - last), now',
  'def serve(words):',
  '  global last, stall, written, watches',
  '  if watches: look()',
  '  watches = words[0] == "watch"',
  '  if watches: last, stall = time.monotonic_ns(), 0',
  '  if words[0] == "dirty":',
  '    held, written = state["held"], written + 1',
  '    stamp = written.to_bytes(8, "little")',
  '    for at in range(0, len(held) * int(words[1]) // 100, 4096): held[at:at + 8] = stamp',
  '  state["asked"] += 1',
  '  return {"challenge": words[1], "nonce": state["nonce"], "asked": state["asked"], "stallMs": stall / 1e6,',
  '    "monotonicMs": time.monotonic_ns() / 1e6, "realtimeMs": time.time_ns() / 1e6}',
  'while True:',
  '  if watches: look()',
  '  if select.select([questions], [], [], 0.001 if watches else None)[0]:',
  '    for line in os.read(questions, 4096).decode().splitlines():',
  '      os.write(answers, (json.dumps(serve(line.split())) + "\\n").encode())',
].join('\n')
