import type { Connection, ConnectionTool, ToolApproval } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { Select } from '../../../ui/select.tsx'
import { useApproveTools } from '../api/connections.queries.ts'

const approvals = ['allow', 'ask', 'off'] as const satisfies readonly ToolApproval[]

/** The tools of a connection, each with its permission. Texts from a server are shown as text only. */
export function ConnectionTools(props: { connection: Connection }) {
  const { t } = useTranslation('connections')
  const { connection } = props
  const approve = useApproveTools(connection.id)
  const showError = useErrorToast()
  const set = (tools: readonly ConnectionTool[], approval: ToolApproval) =>
    approve.mutate(Object.fromEntries(tools.map((tool) => [tool.name, approval])), { onError: showError })
  const count = (approval: ToolApproval) => connection.tools.filter((tool) => tool.approval === approval).length
  const changed = connection.tools.filter((tool) => tool.isChanged).length
  return (
    <details className="connection-tools">
      <summary>
        {t('tools', { count: connection.tools.length })}
        <span className="faint">
          {` · ${t('counts', { allow: count('allow'), ask: count('ask'), off: count('off') })}`}
        </span>
        {changed > 0 && <span className="badge badge--warn">{t('changedCount', { count: changed })}</span>}
      </summary>
      <p className="facts">{t('toolsNote')}</p>
      <fieldset className="row-flex tools-all" aria-label={t('all')}>
        <span className="faint">{t('all')}</span>
        {approvals.map((approval) => (
          <Button key={approval} variant="ghost" onClick={() => set(connection.tools, approval)}>
            {t(`approval.${approval}`)}
          </Button>
        ))}
      </fieldset>
      <ul>
        {connection.tools.map((tool) => (
          <ToolLine key={tool.name} tool={tool} onChange={(approval) => set([tool], approval)} />
        ))}
      </ul>
      {connection.furtherTools > 0 && <p className="facts">{t('further', { count: connection.furtherTools })}</p>}
    </details>
  )
}

function ToolLine(props: { tool: ConnectionTool; onChange: (approval: ToolApproval) => void }) {
  const { t } = useTranslation('connections')
  const { tool } = props
  const title = tool.title !== null && tool.title !== tool.name ? tool.title : ''
  return (
    <li className="tool">
      <div className="grow">
        <code className="mono">{tool.name}</code> {title !== '' && <span className="muted">{title}</span>}{' '}
        {tool.isChanged && <span className="badge badge--warn">{t('changed')}</span>}
        <p className="facts">
          {[
            tool.claims.isReadOnly === true ? t('claim.readOnly') : null,
            tool.claims.isDestructive === true ? t('claim.destructive') : null,
            tool.problem === null ? null : t('notOffered', { problem: tool.problem }),
          ]
            .filter((fact) => fact !== null)
            .join(' · ')}
        </p>
        {(tool.description !== '' || tool.input != null) && (
          <details>
            <summary>{t('said')}</summary>
            {tool.description !== '' && <p className="tool-words">{tool.description}</p>}
            {tool.input != null && (
              <ScrollBox className="out out-text" label={t('inputOf', { tool: tool.name })}>
                {JSON.stringify(tool.input, null, 2)}
              </ScrollBox>
            )}
          </details>
        )}
      </div>
      <Select
        value={tool.approval}
        label={t('approvalOf', { tool: tool.name })}
        options={approvals.map((value) => ({ value, label: t(`approval.${value}`) }))}
        onChange={props.onChange}
      />
    </li>
  )
}
