/** A report’s name for each item, as kind and name: the one with the fault, and its untouched twin. */
type Fault = { what: string; victim: RegExp; twin: RegExp }

/** `base` is the first port of the puppet with the faults; its twin’s are one hundred higher. */
export function faultsOf({ base, peers }: { base: number; peers: readonly number[] }): Fault[] {
  const fault = (what: string, victim: RegExp, twin: RegExp): Fault => ({ what, victim, twin })
  const port = (protocol: string, offset: number) => new RegExp(`^port ${protocol} 127.0.0.1:${base + offset}$`)
  const pair = (offset: number) => new RegExp(`^connection tcp .*127.0.0.1:${base + offset}\\b`)
  const allOther = /^file all other files$/
  return [
    fault('a process is killed', /^process sleep 1001$/, /^process sleep 1004$/),
    fault('a process is asked to end', /^process sleep 1002$/, /^process sleep 1004$/),
    fault('a process runs another program', /^process python3 -c [\s\S]* replaced$/, /^process python3 puppet.py one$/),
    fault('a service is killed', /^service web$/, /^service kept$/),
    fault('a listener is closed', port('tcp', 0), port('tcp', 3)),
    fault('another process takes its port', port('tcp', 1), port('tcp', 101)),
    fault('it listens on another address', port('tcp', 2), port('tcp', 102)),
    fault('a UDP socket is closed', port('udp', 10), port('udp', 110)),
    fault('one side of a connection is closed', pair(20), pair(120)),
    fault('both sides of a connection are closed', pair(21), pair(22)),
    fault('another machine closes a connection', new RegExp(`^connection .*:${peers[0]}$`), /^connection .*:9122$/),
    fault('a deleted file is closed', /^open-file .*gone-0-9100$/, /^open-file .*gone-2-9100$/),
    fault('a deleted file is cut short', /^open-file .*gone-1-9100$/, /^open-file .*gone-1-9200$/),
    fault('a variable is deleted', /^variable removed$/, /^variable kept$/),
    fault('a variable gets another value', /^variable rebound$/, /^variable kept$/),
    fault('a variable gets another type', /^variable retyped$/, /^variable kept$/),
    fault('something deep in a list changes', /^variable mutated$/, /^variable kept_list$/),
    fault('one element of an array changes', /^variable array$/, /^variable kept_array$/),
    fault('one cell of a frame changes', /^variable frame$/, /^variable kept_frame$/),
    fault('one byte of a buffer changes', /^variable raw$/, /^variable kept_raw$/),
    fault('an attribute of an object changes', /^variable account$/, /^variable kept_account$/),
    fault('a function is defined anew', /^variable price$/, /^variable kept_price$/),
    fault('an exported variable is unset', /^environment REMOVED$/, /^environment KEPT$/),
    fault('an exported variable is changed', /^environment CHANGED$/, /^environment KEPT$/),
    fault('the shell loses an alias', /^shell shell session$/, /^environment PATH$/),
    fault('uv removes a package', /^package byuv$/, /^package keptuv$/),
    fault('pip removes a package', /^package bypip$/, /^package keptuv$/),
    fault('a package gets another version', /^package raised$/, /^package keptuv$/),
    fault('npm removes a package', /^package bynpm$/, /^package keptnpm$/),
    fault('a package of Debian is removed', /^package byapt$/, /^package keptapt$/),
    fault('a file is removed', /^file \/home\/user\/removed.txt$/, allOther),
    fault('a file in a directory is removed with it', /^file \/home\/user\/tree\/inner\/leaf$/, allOther),
    fault('a link is removed', /^file \/home\/user\/link$/, allOther),
    fault('a file is removed from the disk in its sleep', /^file \/home\/user\/taken-from-disk.txt$/, allOther),
    fault('a file in memory is removed', /^file \/dev\/shm\/removed$/, /^file \/dev\/shm\/kept$/),
  ]
}
