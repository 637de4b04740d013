import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import type { ComponentType } from 'react'
import { useTranslation } from 'react-i18next'
import { NotFoundPage } from '../../../page/parts/not-found-page.tsx'
import { useDocumentTitle } from '../../../page/parts/use-document-title.ts'
import { useMe } from '../../../people/auth/api/session.queries.ts'
import { SignInSection } from '../../../people/auth/components/sign-in-section.tsx'
import { ConnectionsSection } from '../../../people/connections/components/connections-section.tsx'
import { GitSection } from '../../../people/git-credentials/components/git-section.tsx'
import { MachineSection } from '../../../people/machine/components/machine-section.tsx'
import { SecretsSection } from '../../../people/secrets/components/secrets-section.tsx'
import { SkillsSection } from '../../../people/skills/components/skills-section.tsx'
import { UsageSection } from '../../../people/usage/components/usage-section.tsx'
import { AboutSection } from './about-section.tsx'
import { ApiKeysSection } from './api-keys-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { ModelsSection } from './models-section.tsx'
import { NetworkSection } from './network-section.tsx'
import { PeoplePage } from './people-page.tsx'
import { SleepSection } from './sleep-section.tsx'
import { YouSection } from './you-section.tsx'

const route = getRouteApi('/app/settings/$section')

/** The sections in the order of the list. The key is also the last part of the address. */
const sections = {
  you: { label: 'nav.you', Content: YouSection },
  people: { label: 'nav.people', Content: PeoplePage },
  'sign-in': { label: 'nav.signIn', Content: SignInSection },
  usage: { label: 'nav.usage', Content: UsageSection },
  machine: { label: 'nav.machine', Content: MachineSection },
  models: { label: 'nav.models', Content: ModelsSection },
  skills: { label: 'nav.skills', Content: SkillsSection },
  connections: { label: 'nav.connections', Content: ConnectionsSection },
  git: { label: 'nav.git', Content: GitSection },
  secrets: { label: 'nav.secrets', Content: SecretsSection },
  limits: { label: 'nav.limits', Content: LimitsSection },
  sandboxes: { label: 'nav.sleep', Content: SleepSection },
  network: { label: 'nav.network', Content: NetworkSection },
  'api-keys': { label: 'nav.apiKeys', Content: ApiKeysSection },
  about: { label: 'nav.about', Content: AboutSection },
} as const satisfies Record<string, { label: string; Content: ComponentType }>

/** Of the owner and admins. */
const ofAdministrators: readonly string[] = ['machine']

export function SettingsPage() {
  const { t } = useTranslation('settings')
  const { section } = route.useParams()
  const me = useMe().data
  const isAdministrator = me !== undefined && me.role !== 'member'
  const listed = Object.entries(sections).filter(([key]) => isAdministrator || !ofAdministrators.includes(key))
  useDocumentTitle(t('title'))
  if (!Object.hasOwn(sections, section)) return <NotFoundPage />
  const { Content } = sections[section as keyof typeof sections]
  return (
    <main className="main settings" id="content" tabIndex={-1}>
      <nav className="settings-nav" aria-label={t('title')}>
        <Link to="/" className="nav">
          <ArrowLeft className="i" size={16} aria-hidden="true" />
          {t('back')}
        </Link>
        <ul>
          {listed.map(([key, { label }]) => (
            <li key={key}>
              <Link
                to="/settings/$section"
                params={{ section: key }}
                className={key === section ? 'nav is-on' : 'nav'}
                aria-current={key === section ? 'page' : undefined}
              >
                {t(label)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="settings-scroll">
        <div className="page">
          <Content />
        </div>
      </div>
    </main>
  )
}
