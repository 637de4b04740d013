import type { Environment } from '@threadbox/sdk'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'

type Finding = Environment['findings'][number]

/** Identifies a finding among those of one environment. */
export function keyOf({ path, rule }: Pick<Finding, 'path' | 'rule'>): string {
  return `${rule} ${path}`
}

/** What a copy of a thread’s sandbox contains and what it doesn’t, and the choice for each possible secret. */
export function CapturedEnvironment(props: {
  environment: Environment
  kept: ReadonlySet<string>
  onKept: (kept: ReadonlySet<string>) => void
}) {
  const { t } = useTranslation('agents')
  const format = useFormat()
  const { environment } = props
  const { captured, notCaptured } = environment
  const files = captured.home.files + captured.system.files
  const fileBytes = captured.home.bytes + captured.system.bytes
  const names = (list: readonly string[]) => format.list(list.length > 6 ? [...list.slice(0, 5), '…'] : list)
  const { variables, services } = captured
  return (
    <>
      <div className="captured">
        <section aria-label={t('captured')}>
          <h3>{t('captured')}</h3>
          <dl>
            <Line name={t('files')} value={format.bytes(fileBytes)}>
              {t('fileCount', { count: files })}
            </Line>
            <Line name={t('packages')} value={format.bytes(captured.packages.bytes)}>
              {t('fileCount', { count: captured.packages.files })}
            </Line>
            <Line name={t('servicesTitle')} value={format.number(services.length)}>
              {services.length === 0 ? t('none') : names(services.map(({ name }) => name))}
            </Line>
            <Line name={t('variables')} value={format.bytes(variables.bytes)}>
              {variables.names.length === 0 ? t('none') : names(variables.names)}
            </Line>
          </dl>
          <p className="facts">{t('total', { size: format.bytes(environment.diskBytes) })}</p>
        </section>
        <section aria-label={t('notCaptured')}>
          <h3>{t('notCaptured')}</h3>
          <ul className="facts">
            <li>{t('noMessages')}</li>
            {notCaptured.removed
              .filter(({ kind }) => kind !== 'output')
              .map(({ path }) => (
                <li key={path}>
                  <code>{path}</code>
                </li>
              ))}
            {notCaptured.redacted.map((finding) => (
              <li key={keyOf(finding)}>
                {t('overwrittenIn')} <code>{finding.path}</code>
              </li>
            ))}
            {notCaptured.variables.length > 0 && (
              <li>{t('lostVariables', { names: names(notCaptured.variables.map(({ name }) => name)) })}</li>
            )}
            {notCaptured.memoryProblem !== '' && <li>{t('noMemory', { problem: notCaptured.memoryProblem })}</li>}
          </ul>
        </section>
      </div>
      <Findings {...props} />
    </>
  )
}

function Line(props: { name: string; value: string; children: ReactNode }) {
  return (
    <div className="captured-line">
      <dt>{props.name}</dt>
      <dd className="grow facts">{props.children}</dd>
      <dd>{props.value}</dd>
    </div>
  )
}

function Findings(props: {
  environment: Environment
  kept: ReadonlySet<string>
  onKept: (kept: ReadonlySet<string>) => void
}) {
  const { t } = useTranslation('agents')
  const { environment, kept } = props
  const { findings, furtherFindings } = environment
  if (findings.length === 0) return null
  const toggle = (key: string) => {
    const next = new Set(kept)
    if (!next.delete(key)) next.add(key)
    props.onKept(next)
  }
  return (
    <fieldset className="findings">
      <legend>{t('findings')}</legend>
      <p className="help">{t('findingsHelp')}</p>
      <ul>
        {findings.map((finding) => {
          const key = keyOf(finding)
          return (
            <li key={key}>
              <label>
                <input type="checkbox" checked={!kept.has(key)} onChange={() => toggle(key)} />
                <span className="grow">
                  <code>{finding.path}</code> {finding.rule}
                </span>
              </label>
            </li>
          )
        })}
      </ul>
      {furtherFindings > 0 && <p className="help">{t('furtherFindings', { count: furtherFindings })}</p>}
    </fieldset>
  )
}
