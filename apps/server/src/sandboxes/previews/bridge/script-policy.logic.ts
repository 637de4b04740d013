/** Scripts that a page’s policy has to allow: those at exact URLs and, where URLs do not count, one by its hash. */
export type AllowedScripts = { urls: readonly string[]; inlineHash: string | undefined }

const nonceOrHash = /^'(?:nonce-|sha(?:256|384|512)-)/i

/** True if a policy of the header ignores the URLs of scripts, so that the script has to be in the page itself. */
export function ignoresAddresses(header: string): boolean {
  return policiesOf(header).some((policy) => scriptSources(policy)?.some(isKeyword('strict-dynamic')) === true)
}

/**
 * Changes a header of policies so that these scripts can run. Other scripts stay allowed as before, also inline ones: a
 * hash would disable an `'unsafe-inline'` beside it, so it is only added where that has no effect.
 */
export function withScripts(header: string, allowed: AllowedScripts): string {
  return policiesOf(header)
    .map((policy) => {
      const sources = scriptSources(policy)
      if (sources === undefined) return policy.join('; ')
      const kept = sources.filter((source) => !isKeyword('none')(source))
      const isInlineFree =
        sources.some(isKeyword('unsafe-inline')) &&
        !sources.some((source) => nonceOrHash.test(source) || isKeyword('strict-dynamic')(source))
      const text = allowed.inlineHash === undefined || isInlineFree ? [] : [`'${allowed.inlineHash}'`]
      const directive = ['script-src-elem', ...kept, ...text, ...allowed.urls].join(' ')
      return [...policy.filter((other) => nameOf(other) !== 'script-src-elem'), directive].join('; ')
    })
    .join(', ')
}

/** The sources that apply to script elements; undefined if the policy does not mention them. */
function scriptSources(policy: readonly string[]): string[] | undefined {
  for (const name of ['script-src-elem', 'script-src', 'default-src']) {
    // Of two directives with one name, browsers use the first.
    const directive = policy.find((candidate) => nameOf(candidate) === name)
    if (directive !== undefined) return directive.trim().split(/\s+/).slice(1)
  }
  return undefined
}

function policiesOf(header: string): string[][] {
  return header
    .split(',')
    .map((policy) =>
      policy
        .split(';')
        .map((directive) => directive.trim())
        .filter((directive) => directive !== ''),
    )
    .filter((policy) => policy.length > 0)
}

function nameOf(directive: string): string {
  return /^\S*/.exec(directive)?.[0].toLowerCase() ?? ''
}

function isKeyword(name: string): (source: string) => boolean {
  return (source) => source.toLowerCase() === `'${name}'`
}
