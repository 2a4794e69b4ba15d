/** What the command line will know and does not know yet; each is refused by name. */

export const NOT_YET_COMMANDS: readonly string[] = ['compare'];
