import { useTranslation } from 'react-i18next'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { SectionHead } from '../../../page/parts/section.tsx'
import { useMachine } from '../api/machine.queries.ts'
import { MachineBackups } from './machine-backups.tsx'
import { MachineCharts } from './machine-charts.tsx'
import { Figures } from './machine-figures.tsx'
import { MachineChecks, MachineErrors, MachineVersions } from './machine-health.tsx'
import { MachinePeople, MachineSpend } from './machine-people.tsx'
import { MachineSandboxes } from './machine-sandboxes.tsx'

/** What uses the machine, and what to do about it: for the owner and admins. */
export function MachineSection() {
  const { t } = useTranslation('machine')
  const machine = useMachine()
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <Loaded query={machine}>
        {(data) => (
          <>
            {data.host === null ? (
              <p className="nothing">{t('noHost')}</p>
            ) : (
              <Figures host={data.host} growth={data.growth} />
            )}
            <MachineBackups />
            <MachineCharts />
            <MachineSandboxes sandboxes={data.sandboxes} />
            <MachinePeople nearLimits={data.nearLimits} requests={data.requests} />
            <MachineSpend spend={data.spend} />
            <MachineChecks checks={data.checks} />
            <MachineErrors errors={data.errors} />
            <MachineVersions versions={data.versions} />
          </>
        )}
      </Loaded>
      <p className="section-note">
        <LearnMore to={docsPlaces.machine} />
      </p>
    </>
  )
}
