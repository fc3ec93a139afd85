/** The fragment of an item's address, such as `message-m3`. `key` is its kind and id, separated by a space. */
export const anchorOf = (key: string): string => key.replaceAll(/[^\w-]/g, "-");
