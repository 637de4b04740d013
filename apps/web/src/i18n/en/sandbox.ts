export const sandbox = {}
