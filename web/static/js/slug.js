// The slug of a name, as names.slug_of makes it. `spelling` is that module's table of letters.
export const slug = (name, spelling, longest) => {
  const spelled = new Map(spelling.split(" ").map((word) => [word[0], word.slice(1)]));
  const parts = (letter) => Array.from(letter.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, ""));
  const spell = (letter) => spelled.get(letter) ?? parts(letter).map((part) => spelled.get(part) ?? part).join("");
  const plain = Array.from(name.normalize("NFC").toLowerCase()).map(spell).join("");
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, longest).replace(/-+$/, "");
};
