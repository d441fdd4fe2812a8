// Three curl lines that work when pasted, from the root of the checkout, against the instance that prints them.

/** Single quotes, so that a shell leaves `$default` and the JSON alone. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const sample = 'node_modules/vega-datasets/data/seattle-weather.csv';
const sql = 'select weather, count(*) as days from seattle_weather group by weather order by days desc';

/** `datasetName` is part of the first line; the id in its answer is kept in DATASET for the other two. */
export function curlLines(url: string, apiKey: string, datasetName: string): readonly string[] {
  const auth = `-H ${quoted(`authorization: Bearer ${apiKey}`)}`;
  const json = `-H 'content-type: application/json'`;
  const id = `node -p 'JSON.parse(require("fs").readFileSync(0)).id'`;
  const create = `curl -s ${quoted(`${url}/v1/datasets`)} ${auth} ${json} -d ${quoted(JSON.stringify({ name: datasetName }))}`;
  const dataset = `${quoted(`${url}/v1/datasets/`)}"$DATASET"`;
  const upload = `${dataset}${quoted('/files?name=seattle-weather.csv')}`;
  return [
    `DATASET=$(${create} | ${id}); echo "$DATASET"`,
    `curl -s ${upload} ${auth} -H 'prefer: wait=20' -H 'content-type: text/csv' --data-binary @${sample}; echo`,
    `curl -s ${dataset}/query ${auth} ${json} -d ${quoted(JSON.stringify({ sql }))}; echo`,
  ];
}
