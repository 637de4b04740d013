import { Trans, useTranslation } from 'react-i18next'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { useModels } from '../../../people/models/api/models.queries.ts'
import { ProviderList } from '../../../people/models/components/provider-list.tsx'
import { SurviveButton } from '../../first-minute/components/survive-button.tsx'
import { directCommands } from '../state/examples.ts'

const practices = ['together', 'separate', 'paths', 'scripts'] as const

/**
 * The content of a thread before its first message: what you can do here now. `onInsert` puts a text into the composer.
 * Until it is known whether a model is connected, only the heading is shown, so that nothing jumps.
 */
export function EmptyThread(props: { onInsert: (text: string) => void; modelId?: string | null }) {
  const { t } = useTranslation(['empty', 'models'])
  const models = useModels()
  const model =
    models.data?.find((candidate) => candidate.id === props.modelId) ??
    models.data?.find((candidate) => candidate.isDefault) ??
    models.data?.[0]
  const isDirect = models.data !== undefined && model === undefined
  return (
    <section className="empty" aria-label={t('title')}>
      <h2>{t('title')}</h2>
      <p className="empty-lead">
        {isDirect && <Trans t={t} i18nKey="direct" components={{ b: <b /> }} />}
        {model !== undefined && t('agent', { model: model.name })}
        {models.isError && t('unknown')}
      </p>
      <SurviveButton />
      <DirectCommands onInsert={props.onInsert} />
      {isDirect && (
        <>
          <div className="empty-head">
            <h3>{t('connectTitle')}</h3>
            <span className="faint">{t('models:keysStay')}</span>
          </div>
          <ProviderList />
        </>
      )}
      {model !== undefined && <Practices />}
    </section>
  )
}

function DirectCommands(props: { onInsert: (text: string) => void }) {
  const { t } = useTranslation('empty')
  return (
    <div className="cmds">
      {directCommands.map(({ name, command, example }) => (
        <button
          key={name}
          type="button"
          className="cmdc"
          title={t('insert', { command: example === null ? command : `${command} ${example}` })}
          onClick={() => props.onInsert(example === null ? command : `${command} ${example}`)}
        >
          <code>{command}</code>
          <p>{t(name)}</p>
          <span className="eg">{example ?? t('helpExample')}</span>
        </button>
      ))}
    </div>
  )
}

function Practices() {
  const { t } = useTranslation('empty')
  return (
    <>
      <div className="empty-head">
        <h3>{t('practicesTitle')}</h3>
        <LearnMore to={docsPlaces.habits} />
      </div>
      <ul className="practices">
        {practices.map((name) => (
          <li key={name}>
            <b>{t(`practice.${name}.title`)}</b>
            <span className="muted">{t(`practice.${name}.text`)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
