/** Fields that a body must not have, even if its type is wider. */
export type Without<Fields extends string> = { readonly [Field in Fields]?: undefined }
