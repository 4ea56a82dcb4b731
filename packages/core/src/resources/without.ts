/** Fields that a body must not have, also where its type is wider than what is written out. */
export type Without<Fields extends string> = { readonly [Field in Fields]?: undefined }
