"""The description of the API."""


class Docs:
    """The description of the API."""

    title = "API"
    navigation = "Parts of the API"
    overview = "Overview"
    lead = "Everything that this box (version {version}) does over HTTP."
    document = "The same as an OpenAPI document"
    asking = "Who asks"
    asking_text = (
        "Send an API key in the header x-api-key, or in Authorization after the word Bearer. A key needs the scope "
        "that an operation names. A signed-in person needs the role."
    )
    procedures = "Procedures"
    procedures_text = (
        "The groups with lower-case names hold procedures. Each takes and answers plain JSON under its own path. The "
        "path with /rpc in front also speaks the form of oRPC clients: an object with json, and with meta where there "
        "are dates."
    )
    query_types = "What can be asked with POST /v1/query, with the fields, the filters and an example of each type:"
    query_types_link = "all query types"
    all = "All operations"
    refusals = "Refusals"
    refusals_text = "Every refusal says success: false, error in words, code for programs, and requestId."
    command = "Command"
    needed = "needed"
    also = "In the oRPC form:"
    parameters = "Parameters"
    body = "Body"
    answer = "Answer"
    example = "Example"
    statuses = "Statuses"
