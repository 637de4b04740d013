/** What a host prepares after an installation before sandboxes can start. */
export const setupSteps = ['base-image'] as const
export type SetupStep = (typeof setupSteps)[number]
