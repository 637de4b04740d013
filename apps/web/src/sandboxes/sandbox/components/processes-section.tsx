import type { SandboxDetail, SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { Pill } from '../../../ui/pill.tsx'

/** More processes than this are shown as a number. */
const shownProcesses = 50

const roles = ['kernel', 'shell', 'terminal', 'service'] as const

/** Running processes and listening ports, or that the sandbox sleeps. */
export function ProcessesSection(props: { sandbox: SandboxView; detail: SandboxDetail }) {
  const { t } = useTranslation('sandbox')
  const { sandbox, detail } = props
  if (sandbox.state === 'fresh') return null
  if (detail.processes === null) {
    return (
      <section className="sec" aria-label={t('pane.processes')}>
        <div className="sec-h">{t('pane.processes')}</div>
        <p className="muted">{sandbox.state === 'paused' ? t('pane.asleepProcesses') : t('pane.goneProcesses')}</p>
      </section>
    )
  }
  return (
    <>
      <section className="sec" aria-label={t('pane.processes')}>
        <Processes processes={detail.processes} />
      </section>
      <section className="sec" aria-label={t('pane.ports')}>
        <div className="sec-h">{t('pane.ports')}</div>
        {detail.ports === null || detail.ports.length === 0 ? (
          <p className="muted">{t('pane.noPorts')}</p>
        ) : (
          <ul className="pane-ports">
            {detail.ports.map((port) => (
              <li key={port} className="row-flex">
                <span className="mono grow">{port}</span>
                <Pill state="running">{t('pane.listening')}</Pill>
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  )
}

function Processes(props: { processes: NonNullable<SandboxDetail['processes']> }) {
  const { t } = useTranslation('sandbox')
  const format = useFormat()
  const { processes } = props
  if (processes.length === 0) {
    return (
      <>
        <div className="sec-h">{t('pane.processes')}</div>
        <p className="muted">{t('pane.noProcesses')}</p>
      </>
    )
  }
  const rest = processes.length - shownProcesses
  return (
    <>
      <table className="tbl">
        <thead>
          <tr>
            <th scope="col">{t('pane.process')}</th>
            <th scope="col" className="rt">
              {t('pane.memory')}
            </th>
            <th scope="col" className="rt">
              {t('pane.pid')}
            </th>
          </tr>
        </thead>
        <tbody>
          {processes.slice(0, shownProcesses).map((process) => (
            <tr key={process.pid}>
              <td className="wide">
                <ProcessName commandLine={process.commandLine} role={process.role} />
              </td>
              <td className="rt">{format.binaryBytes(process.memoryBytes)}</td>
              <td className="rt mono faint">{process.pid}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="faint">{t('pane.moreProcesses', { count: rest })}</p>}
    </>
  )
}

/** Processes of every sandbox are named by their role, because their command line isn’t informative. */
function ProcessName(props: { commandLine: string; role: string }) {
  const { t } = useTranslation('sandbox')
  const { commandLine, role } = props
  if (role === 'kernel' || role === 'shell') {
    return (
      <div className="trunc muted" title={commandLine}>
        {t(`pane.roleOf.${role}`)}
      </div>
    )
  }
  return (
    <>
      <div className="mono trunc" title={commandLine}>
        {commandLine}
      </div>
      {isKnownRole(role) && <div className="faint pane-role">{t(`pane.roleOf.${role}`)}</div>}
    </>
  )
}

function isKnownRole(role: string): role is (typeof roles)[number] {
  return (roles as readonly string[]).includes(role)
}
