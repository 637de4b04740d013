export const threads = {}
