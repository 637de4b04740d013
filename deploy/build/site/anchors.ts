import { sandboxStates } from '@threadbox/domain'
import { turnFailureSchema } from '@threadbox/protocol/public'
import { docsPlaces, failurePlace } from '../../../apps/web/src/page/docs/docs-places.ts'
import type { RequiredAnchor } from '../../../docs-site/tools/check-site.ts'
import type { FoundError, FoundSetting } from '../docs-sources.ts'
import { ownErrors } from './errors-page.ts'

/** The limits of a sandbox that a card or a notice links to. */
const limits = ['sandboxMemoryBytes', 'sandboxDiskBytes', 'sandboxCpus', 'sandboxProcesses', 'maxServices']
/** A chip can also show `waiting`, which is not a state. */
const chips = [...sandboxStates, 'waiting']

/** Every address that the app or an error can link to. The site’s build fails if one is missing. */
export function requiredAnchors(options: {
  errors: readonly FoundError[]
  settings: readonly FoundSetting[]
  editable: readonly string[]
}): RequiredAnchor[] {
  const on = (page: string, anchors: readonly string[]) => anchors.map((anchor) => ({ page, anchor }))
  return [
    ...on('sandbox', chips),
    ...on('limits', limits),
    ...turnFailureSchema.shape.code.options.map(failurePlace),
    ...Object.values(docsPlaces),
    ...on('operate/settings', options.editable),
    ...on(
      'operate/settings',
      options.settings.map(({ setting }) => setting.environment),
    ),
    ...on(
      'operate/errors',
      [...options.errors, ...ownErrors].map(({ code }) => code),
    ),
  ]
}
