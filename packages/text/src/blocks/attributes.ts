/** Attributes of an element, their names in lower case. */
export type Attributes = Readonly<Record<string, string>>
