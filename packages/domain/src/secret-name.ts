/** Names of variables that a secret can have. */
export const secretNamePattern = /^[A-Z_][A-Z0-9_]{0,63}$/

/**
 * Variables that programs start with or that decide how they start: a secret under such a name would change the sandbox
 * instead of adding to it.
 */
const reserved =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TERM|TZ|PWD|OLDPWD|SHLVL|IFS|ENV|BASH.*|PS[0-4]|PROMPT_COMMAND|LD_.*|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_PATH|PYTHON(PATH|HOME|STARTUP)|PERL5?(LIB|OPT)|RUBY(LIB|OPT)|JAVA_TOOL_OPTIONS|GIT_CONFIG_.*|GIT_SSL_.*|(HTTPS?|NO|ALL)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|PIP_CERT|CURL_CA_BUNDLE|GRPC_DEFAULT_SSL_ROOTS_FILE_PATH|HTTPLIB2_CA_CERTS|_)$/

export function isReservedSecretName(name: string): boolean {
  return reserved.test(name)
}
