import { Link } from '@tanstack/react-router'
import { ArrowRight, Bot } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { closeDrawer } from '../../../page/client/ui-state.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { useAgents, useStartAgent } from '../api/agents.queries.ts'

/** Further agents are on the agents page. */
const shownAgents = 5

/** Agents below the threads, each with a button to start a thread. Empty without agents. */
export function AgentsSection() {
  const { t } = useTranslation('agents')
  const agents = useAgents().data ?? []
  const start = useStartAgent()
  if (agents.length === 0) return null
  return (
    <section aria-label={t('title')}>
      <h2 className="side-h">
        <span className="grow">{t('title')}</span>
        <Link to="/agents" className="btn btn--ghost btn--icon btn--sm" aria-label={t('all')} onClick={closeDrawer}>
          <ArrowRight className="i" size={14} aria-hidden="true" />
        </Link>
      </h2>
      <ul>
        {agents.slice(0, shownAgents).map(({ id, name }) => (
          <li key={id}>
            <button
              type="button"
              className="nav"
              aria-label={t('startOf', { name: shownText(name) })}
              onClick={() => {
                closeDrawer()
                start.mutate({ agentId: id })
              }}
            >
              <Bot className="i" size={16} aria-hidden="true" />
              <span className="trunc">{shownText(name)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
