/** The name of a thing of a conversation in an address: `message-m3`. `key` is its kind and id with a space between. */
export const anchorOf = (key: string): string => key.replaceAll(/[^\w-]/g, "-");
