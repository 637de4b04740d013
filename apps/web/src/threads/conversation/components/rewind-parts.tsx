import type { RewindPreview } from '@threadbox/sdk'
import { Braces, Cpu, Files, Globe } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

/** More rows are shown as a number. */
const mostRows = 8
/** Cached files come below the others and matter less. */
const mostCacheRows = 3

type Row = { mark: string; name: string; rest: ReactNode }

/** One kind of things that a rewind changes: their number, and the names of the first ones. */
export function Part(props: {
  icon: ReactNode
  title: string
  children: ReactNode
  rows?: readonly Row[]
  /** The total, if there are more than `rows`. */
  count?: number
  /** Rows below the others; each stands for `stands` things. */
  folded?: readonly (Row & { stands: number })[]
  note?: string | undefined
}) {
  const { t } = useTranslation('threads')
  const first = (props.rows ?? []).slice(0, mostRows)
  const folded = (props.folded ?? []).slice(0, mostCacheRows)
  const rows = [...first, ...folded]
  const listed = first.length + folded.reduce((sum, { stands }) => sum + stands, 0)
  const more = Math.max(props.count ?? 0, props.rows?.length ?? 0) - listed
  return (
    <section className="undo">
      {props.icon}
      <div>
        <h3>
          {props.title}
          <span className="num">{props.children}</span>
        </h3>
        {rows.length > 0 && (
          <ul>
            {rows.map(({ mark, name, rest }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two processes may have the same command, and nothing moves
              <li key={index}>
                <span className="mk" aria-hidden="true">
                  {mark}
                </span>
                <span className="mono trunc">{name}</span>
                <span className="rt num">{rest}</span>
              </li>
            ))}
            {more > 0 && <li className="faint">{t('rewind.more', { count: more })}</li>}
          </ul>
        )}
        {props.note !== undefined && <p className="undo-note muted">{props.note}</p>}
      </div>
    </section>
  )
}

const fileMarks = { removed: 'A', restored: 'D', changed: 'M' } as const

export function FilesPart(props: { disk: RewindPreview['disk'] }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { files, caches, count } = props.disk
  const nameOf = (path: string) => path.replace(/^\/home\/user\//, '')
  const size = (bytes: number | null) => (bytes === null ? '' : format.bytes(bytes))
  const rows = (files ?? []).map(({ path, change, bytesNow, bytesThen, lines }) => ({
    mark: fileMarks[change],
    name: nameOf(path),
    rest:
      lines === null || lines.added + lines.removed === 0 ? (
        t(`rewind.file.${change}`, { size: size(change === 'removed' ? bytesNow : bytesThen), now: size(bytesNow) })
      ) : (
        <LineChanges lines={lines} />
      ),
  }))
  const folded = caches.map(({ path, removed, restored, changed }) => {
    const stands = removed + restored + changed
    const change = stands === removed ? 'removed' : stands === restored ? 'restored' : 'changed'
    const rest = t(`rewind.inCache.${change}`, { count: stands, total: format.number(stands) })
    return { mark: fileMarks[change], name: `${nameOf(path)}/`, rest, stands }
  })
  return (
    <Part icon={<Files className="i" size={16} />} title={t('rewind.files')} rows={rows} folded={folded} count={count}>
      {files === null ? t('rewind.notLooked') : t('rewind.filesBack', { count })}
    </Part>
  )
}

function LineChanges(props: { lines: { added: number; removed: number } }) {
  const { t } = useTranslation('threads')
  const { added, removed } = props.lines
  return (
    <>
      <span className="sr">{t('rewind.lines', { added, removed })}</span>
      <span aria-hidden="true">
        {t('rewind.linesRevert')} <span className="add">{`+${added}`}</span>{' '}
        <span className="del">{`−${removed}`}</span>
      </span>
    </>
  )
}

type Running = RewindPreview['running']

/** What runs now compared with what ran then, as recorded at both moments. */
export function RunningParts(props: { running: Running; comesBack: boolean; nothingRan: boolean; time: string }) {
  return (
    <>
      <ProcessesPart {...props} />
      <VariablesPart {...props} />
    </>
  )
}

const processMarks = { restored: '+', returns: '↺', restarted: '↻', removed: '−', unclear: '?', lost: '×' } as const

function ProcessesPart(props: { running: Running; comesBack: boolean; nothingRan: boolean; time: string }) {
  const { running, comesBack, nothingRan, time } = props
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { processes, processCount, processesByChange, leftOut, knowsNow, knowsThen } = running
  const rows = processes.map(({ name, kind, change }) => ({
    mark: processMarks[change],
    name,
    rest: t(`rewind.${kind}.${change}`, { time }),
  }))
  const parts = (Object.keys(processMarks) as (keyof typeof processMarks)[]).flatMap((change) => {
    const count = processesByChange[change]
    return count === 0 ? [] : [t(`rewind.processCount.${change}`, { count })]
  })
  const notes = [
    ...(comesBack ? [] : [t(nothingRan ? 'rewind.nothingRan' : 'rewind.noMemory')]),
    ...(comesBack && !knowsThen ? [t('rewind.thenUnknown')] : []),
    ...(knowsNow ? [] : [t('rewind.nowUnknown')]),
    ...(leftOut.processesNow === 0 ? [] : [t('rewind.processesLeftOutNow', { count: leftOut.processesNow })]),
    ...(leftOut.processesThen === 0 ? [] : [t('rewind.processesLeftOutThen', { count: leftOut.processesThen })]),
  ]
  return (
    <Part
      icon={<Cpu className="i" size={16} />}
      title={t('rewind.processes')}
      rows={rows}
      count={processCount}
      note={notes.length === 0 ? undefined : format.sentences(notes)}
    >
      {parts.length > 0 ? format.items(parts) : knowsNow && t('rewind.noProcesses')}
    </Part>
  )
}

const variableMarks = { restored: '+', changed: '↺', removed: '−', lost: '×' } as const

function VariablesPart({ running, comesBack }: { running: Running; comesBack: boolean }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { variables, variableCount, variablesByChange, sameVariables, unclearVariables, knowsVariables } = running
  const { variablesNow, variablesThen } = running.leftOut
  const words = useVariableWords()
  const isSilent = comesBack && !knowsVariables && running.knowsThen && running.knowsNow
  const count = variableCount + sameVariables + unclearVariables + variablesNow + variablesThen
  if (count === 0 && !isSilent) return null
  const parts = (Object.keys(variableMarks) as (keyof typeof variableMarks)[]).flatMap((change) => {
    const changed = variablesByChange[change]
    return changed === 0 ? [] : [t(`rewind.variableCount.${change}`, { count: changed })]
  })
  const others = [
    ...(sameVariables === 0 ? [] : [t('rewind.variablesSame', { count: sameVariables })]),
    ...(unclearVariables === 0 ? [] : [t('rewind.variablesUnclear', { count: unclearVariables })]),
  ]
  const notes = [
    ...(isSilent ? [t('rewind.variablesUnknown')] : []),
    ...(variablesNow === 0 ? [] : [t('rewind.variablesLeftOutNow', { count: variablesNow })]),
    ...(variablesThen === 0 ? [] : [t('rewind.variablesLeftOutThen', { count: variablesThen })]),
  ]
  return (
    <Part
      icon={<Braces className="i" size={16} />}
      title={t('rewind.variables')}
      rows={variables.map((variable) => ({
        mark: variableMarks[variable.change],
        name: variable.name,
        rest: words(variable),
      }))}
      count={variableCount}
      note={notes.length === 0 ? undefined : format.sentences(notes)}
    >
      {format.items([...parts, ...others])}
    </Part>
  )
}

function useVariableWords() {
  const { t } = useTranslation('threads')
  const format = useFormat()
  return ({ change, typeNow, typeThen, bytesNow, bytesThen }: Running['variables'][number]): string => {
    const known = (type: string | null, bytes: number | null) =>
      format.items([...(type === null ? [] : [type]), ...(bytes === null ? [] : [format.bytes(bytes)])])
    if (change !== 'changed') {
      const what = change === 'removed' ? known(typeNow, bytesNow) : known(typeThen, bytesThen)
      return t(`rewind.variable.${change}`, { what })
    }
    if (typeNow !== typeThen) return t('rewind.variable.another', { now: typeNow, before: typeThen })
    if (bytesNow !== bytesThen && bytesNow !== null && bytesThen !== null) {
      return t('rewind.variable.another', { now: format.bytes(bytesNow), before: format.bytes(bytesThen) })
    }
    return t('rewind.variable.changed', { what: typeThen })
  }
}

/** Effects outside the sandbox, which a rewind doesn’t undo. */
export function StaysPart({ calls, lookups }: Pick<RewindPreview, 'calls' | 'lookups'>) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const { names, nameCount, since, isWhole } = lookups
  if (calls.length === 0 && names.length === 0 && isWhole) return null
  const rows = [
    ...calls.map(({ tool, count }) => ({ mark: '!', name: tool, rest: t('rewind.called', { count }) })),
    ...names.map(({ name, count, isAtLeast }) => ({
      mark: '!',
      name,
      rest: t(isAtLeast ? 'rewind.lookedUpAtLeast' : 'rewind.lookedUp', { count }),
    })),
  ]
  const parts = [
    ...(calls.length === 0 ? [] : [t('rewind.calls', { count: sumOf(calls) })]),
    ...(names.length === 0 ? [] : [t('rewind.lookups', { count: nameCount })]),
  ]
  const time = since === null ? '' : format.moment(since, Date.now())
  const notes = [
    ...(names.length === 0 ? [] : [t('rewind.lookupsMean', { count: nameCount })]),
    ...(isWhole ? [] : [since === null ? t('rewind.lookupsUnknown') : t('rewind.lookupsSince', { time })]),
  ]
  return (
    <Part
      icon={<Globe className="i" size={16} />}
      title={t('rewind.cannot')}
      rows={rows}
      count={calls.length + nameCount}
      note={notes.length === 0 ? undefined : format.sentences(notes)}
    >
      {format.items(parts)}
    </Part>
  )
}

function sumOf(calls: RewindPreview['calls']): number {
  return calls.reduce((sum, { count }) => sum + count, 0)
}
