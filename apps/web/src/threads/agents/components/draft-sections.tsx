import type { AgentDraft } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { shownText } from '../../../page/content/state/names.logic.ts'
import { Group } from '../../../page/parts/section.tsx'
import { DraftBefore, type DraftChoices, DraftRow, DraftText } from './draft-items.tsx'

/** What the model would get. */
export function DraftInstructions(props: DraftChoices) {
  const { t } = useTranslation('agents')
  const { draft } = props
  const { text, change, before } = draft.instructions
  return (
    <Group title={t('instructions')}>
      {text === '' ? (
        <p className="help">{t('review.instructionsNone')}</p>
      ) : (
        <ul>
          <DraftRow choices={props} item="instructions" label={t('review.instructionsUse')} change={change}>
            <p className="help">{t('review.instructionsHelp')}</p>
            <DraftText text={text} label={t('review.instructionsText')} />
            <DraftBefore draft={draft} of={t('review.instructionsText')} text={before} />
          </DraftRow>
        </ul>
      )}
      {draft.model !== null && (
        <p className="facts">
          {t('review.model', { name: shownText(draft.model.model) })}
          {!draft.model.isAvailable && ` ${t('review.modelMissing')}`}
        </p>
      )}
    </Group>
  )
}

/** The disk, and what was in memory. */
export function DraftEnvironment(props: DraftChoices) {
  const { t } = useTranslation('agents')
  const format = useFormat()
  const { environment } = props.draft
  if (environment === null) {
    return (
      <Group title={t('review.environment')}>
        <p className="help">{t('review.environmentNone')}</p>
      </Group>
    )
  }
  const { variables, hasShell, diskBytes, change } = environment
  const names = variables.map(shownText)
  return (
    <Group title={t('review.environment')}>
      <ul>
        <DraftRow
          choices={props}
          item="environment"
          label={t('review.environmentUse', { size: format.bytes(diskBytes) })}
          change={change}
        >
          <p className="help">{t('review.environmentHelp')}</p>
        </DraftRow>
        {(names.length > 0 || hasShell) && (
          <DraftRow
            choices={props}
            item="variables"
            label={t('review.variablesUse')}
            change={null}
            isDisabled={!props.chosen.has('environment')}
          >
            <p className="help">{t('review.variablesHelp')}</p>
            {names.length > 0 && <p className="facts mono">{format.list(names)}</p>}
            {hasShell && <p className="facts">{t('review.shell')}</p>}
          </DraftRow>
        )}
      </ul>
    </Group>
  )
}

type Service = AgentDraft['services'][number]

/** Programs that start with each sandbox, or that a person or the agent can start. */
export function DraftServices(props: DraftChoices) {
  const { t } = useTranslation('agents')
  const { draft } = props
  if (draft.services.length === 0) return null
  return (
    <Group title={t('servicesTitle')}>
      <p className="help">{t('review.servicesHelp')}</p>
      <ul>
        {draft.services.map((service) => (
          <DraftRow
            key={service.name}
            choices={props}
            item={`service ${service.name}`}
            label={t('review.serviceUse', { name: shownText(service.name) })}
            change={service.change}
            isDisabled={!props.chosen.has('environment')}
          >
            <ServiceFacts service={service} />
            <DraftText text={textOf(service)} label={t('review.command', { name: service.name })} />
            <DraftBefore
              draft={draft}
              of={service.name}
              text={service.before === null ? null : textOf(service.before)}
            />
          </DraftRow>
        ))}
      </ul>
    </Group>
  )
}

function ServiceFacts(props: { service: Service }) {
  const { t } = useTranslation('agents')
  const { port, cwd, startsAtOnce } = props.service
  const facts = [
    t(startsAtOnce ? 'review.startsAtOnce' : 'review.startsLater'),
    t('review.port', { port }),
    ...(cwd === '' ? [] : [t('review.folder', { path: shownText(cwd) })]),
  ]
  return <p className="facts">{facts.join(' · ')}</p>
}

/** Its variables and its command, as a shell reads them. */
function textOf({ command, environment }: Pick<Service, 'command' | 'environment'>): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [...variables, command].join('\n')
}

type Connection = AgentDraft['connections']['items'][number]

/** What the file requests beside its own content. */
export function DraftConnections(props: DraftChoices) {
  const { t } = useTranslation('agents')
  const { isAll, items } = props.draft.connections
  const here = items.filter((item) => item.here !== null)
  const missing = items.filter((item) => item.here === null)
  return (
    <Group title={t('connections')}>
      <p className="help">{isAll ? t('review.connectionsAll') : t('review.connectionsHelp')}</p>
      {items.length === 0 && <p className="help">{t('review.connectionsNone')}</p>}
      <ul>
        {here.map((item) => (
          <ConnectionRow key={item.here?.id} choices={props} item={item} />
        ))}
      </ul>
      {missing.length > 0 && (
        <details>
          <summary>{t('review.connectionsMissing', { count: missing.length })}</summary>
          <ul>
            {missing.map(({ name, url }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a file can name one twice
              <li key={index} className="draft-item">
                <b>{shownText(name)}</b>
                {url !== null && <p className="facts mono">{shownText(url)}</p>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Group>
  )
}

function ConnectionRow(props: { choices: DraftChoices; item: Connection }) {
  const { t } = useTranslation('agents')
  const { here, name, url, change } = props.item
  const own = here?.name ?? ''
  return (
    <DraftRow
      choices={props.choices}
      item={here === null ? null : `connection ${here.id}`}
      label={t('review.connectionUse', { name: own })}
      change={change}
    >
      {name !== own && <p className="facts">{t('review.connectionCalled', { name: shownText(name) })}</p>}
      {url !== null && <p className="facts mono">{shownText(url)}</p>}
    </DraftRow>
  )
}

/** What the agent of the same name has and the file doesn’t. */
export function DraftMissing(props: { draft: AgentDraft }) {
  const { t } = useTranslation('agents')
  const { comparedWith, missing } = props.draft
  const lines = [
    ...missing.services.map((name) => t('review.serviceUse', { name })),
    ...missing.skills.map((name) => t('review.skillUse', { name })),
    ...missing.connections.map((name) => t('review.connectionUse', { name })),
  ]
  if (comparedWith === null || lines.length === 0) return null
  return (
    <Group title={t('review.missing', { name: comparedWith.name })}>
      <ul className="facts">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Group>
  )
}
